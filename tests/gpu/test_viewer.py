"""The application on CUDA, drawn off screen on the same GPU: every rung of the ladder shows the same water."""

import numpy as np
import pytest
from whitecap.app.arguments import parse
from whitecap.app.captures import record_and_save, targets_for
from whitecap.app.foreign import FileScene, HeightField
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation

RUNGS = ("cuda-interop", "cuda-copy", "cpu")


@pytest.fixture
def open_session(tmp_path, monkeypatch):
    """Off-screen sessions, one at a time; the test is skipped where there is no OpenGL."""
    pytest.importorskip("imgui_bundle")
    from whitecap.app.gl_context import GLUnavailable
    from whitecap.app.offscreen import OffscreenSession

    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(tmp_path / "cache"))
    opened = []

    def close():
        while opened:
            opened.pop().__exit__()

    def open_one(*arguments):
        close()
        try:
            session = OffscreenSession(parse(["--offscreen", "--size", "480x320", *arguments])[1])
        except GLUnavailable as error:
            pytest.skip(str(error))
        opened.append(session)
        return session

    yield open_one
    close()


def run(session, frames=60):
    for _ in range(frames):
        session.frame()
    return session.application.simulation.heights().copy(), session.pixels().astype(int)


@pytest.mark.parametrize("rung", RUNGS)
def test_a_forced_rung_is_the_one_that_runs(open_session, rung):
    backend = open_session("--backend", rung).application.backend
    assert backend.rung == rung
    assert backend.badge


def test_the_best_rung_is_chosen_by_itself(open_session):
    backend = open_session().application.backend
    assert backend.rung == "cuda-interop", backend.remedy
    assert backend.remedy == ""


@pytest.mark.parametrize(
    "arguments", [[], ["--width", "97", "--height", "131", "--substeps", "15"]], ids=["default", "odd"]
)
def test_every_rung_shows_the_same_water(open_session, arguments):
    results = {rung: run(open_session("--backend", rung, *arguments)) for rung in RUNGS}
    heights, picture = results["cpu"]
    assert np.abs(heights).max() > 0.05
    for rung in ("cuda-interop", "cuda-copy"):
        # Contracted numerics: the same bits. Pictures: the renderer's own freedom, and nothing else.
        np.testing.assert_array_equal(results[rung][0].view(np.uint32), heights.view(np.uint32))
        difference = np.abs(results[rung][1] - picture)
        assert difference.mean() < 0.05
        assert np.count_nonzero(difference.max(axis=2) > 8) < 1e-3 * difference[..., 0].size


@pytest.mark.parametrize("rung", RUNGS)
def test_another_grid_keeps_the_waves(open_session, rung):
    session = open_session("--backend", rung)
    heights, _ = run(session, 20)
    session.application.recapture(Grid(160, 96, 20))
    session.application.swap.wait()
    assert not session.application.errors
    assert session.application.simulation.heights().shape == (96, 160)
    assert session.application.simulation.heights().max() > 0.5 * heights.max()
    before = session.pixels()
    run(session, 10)
    assert not session.application.errors
    assert (session.pixels() != before).any()


@pytest.mark.parametrize("rung", ["cuda-interop", "cuda-copy"])
def test_a_poke_on_paused_water_is_drawn(open_session, rung):
    session = open_session("--backend", rung, "--preset", "rain")
    session.application.open_scene("wave")
    session.application.swap.wait()
    session.application.simulation.reset()
    session.application.simulation.paused = True
    session.frame()
    before = session.pixels().astype(int)
    session.application.simulation.poke(64, 64)
    session.application.simulation.release()
    session.frame()
    session.frame()
    assert np.abs(session.pixels().astype(int) - before).max() > 30


@pytest.mark.parametrize("rung", ["cuda-interop", "cuda-copy"])
def test_a_runaway_is_stopped(open_session, rung):
    """In the very frame in which it is noticed on the CPU, whose bits are the same; and what is drawn is finite."""

    def frames_until_it_stops(backend):
        session = open_session("--backend", backend, "--width", "32", "--height", "32")
        run(session, 5)
        simulation = session.application.simulation
        simulation.values["k_speed"] = 1e4
        for frame in range(1, 60):
            session.frame()
            assert np.isfinite(session.application.stage.surface.read_heights()).all()
            if simulation.paused:
                assert np.isfinite(simulation.heights()).all()
                return frame
        pytest.fail("nothing stopped it")

    assert frames_until_it_stops(rung) == frames_until_it_stops("cpu")


@pytest.mark.parametrize("rung", RUNGS)
def test_a_loaded_capture_shows_the_parameter_that_holds_its_heights(open_session, tmp_path, rung):
    session = open_session("--backend", rung)
    application, grid = session.application, Grid(64, 48, 4)
    path = tmp_path / "theirs.wrp"
    record_and_save(find_scene("wave"), grid, path, targets_for(application.simulation.device))
    application.take_over(
        Simulation(FileScene(path, HeightField("heights_out", 64, 48, True)), device=application.simulation.device)
    )
    application.simulation.poke(30, 20)
    session.frame()
    assert not application.errors
    assert np.abs(application.stage.surface.read_heights()).max() > 0.1


def test_the_times_shown_are_the_gpus(open_session):
    session = open_session("--backend", "cuda-interop", "--width", "1024", "--height", "1024")
    run(session, 40)
    times = session.application.timings.phases["simulation"]
    assert len(times) >= 20
    assert times.summary().minimum > 0
    assert session.application.timings.phases["draw"].summary().minimum > 0


def test_a_preset_runs_on_the_gpu_as_on_the_cpu(open_session):
    cuda, _ = run(open_session("--backend", "cuda-interop", "--preset", "double-slit"), 40)
    cpu, _ = run(open_session("--backend", "cpu", "--preset", "double-slit"), 40)
    assert np.abs(cpu).max() > 0.01
    np.testing.assert_allclose(cuda, cpu, atol=1e-4)
