"""The application's loop on the null renderer: time, pointer, keys, recaptures and errors, without OpenGL."""

import threading
import time

import numpy as np
import pytest
from whitecap import _native
from whitecap.app.application import Application
from whitecap.app.captures import CaptureCache, record_and_save
from whitecap.app.errors import UserError
from whitecap.app.fallback import open_simulation
from whitecap.app.pose import Pose
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.session import title
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage
from whitecap.app.viewport import Viewport

GRID = Grid(64, 48)
CENTRE = (400.0, 300.0)


@pytest.fixture
def application():
    simulation = Simulation(find_scene("wave"), GRID)
    made = Application(simulation, Stage(None, GRID), viewport=Viewport(800, 600))
    made.stage.camera.pose = Pose(0.0, 60.0, 12.0)
    yield made
    made.close()


def press(application, x, y, button="left", shift=False, gui=False):
    application.pointer.move(x, y)
    return application.pointer.press(x, y, button, shift, gui)


# ---- time


def test_a_second_of_clock_is_sixty_frames_whatever_the_rate(application):
    for _ in range(30):
        application.frame(1 / 30)
    assert application.simulation.frames == 60


def test_nothing_moves_while_paused(application):
    application.perform("pause")
    for _ in range(10):
        application.fixed_frame()
    assert application.simulation.frames == 0
    application.perform("pause")
    application.fixed_frame()
    assert application.simulation.frames == 1


def test_one_frame_at_a_time_while_paused(application):
    application.perform("step_frame")
    assert application.simulation.paused
    assert application.simulation.frames == 1
    application.fixed_frame()
    assert application.simulation.frames == 1


def test_a_sub_step_moves_time_by_a_sub_step(application):
    application.perform("step_substep")
    assert application.simulation.paused
    assert application.simulation.seconds == pytest.approx(GRID.dt)


@pytest.mark.parametrize("size", [(0, 600), (800, 0), (0, 0)])
def test_a_window_without_area_goes_on_simulating_and_draws_nothing(application, size):
    application.viewport = Viewport(*size)
    application.pointer.move(5, 5)
    press(application, 5, 5)
    application.pointer.scroll(1.0, False)
    for _ in range(5):
        application.fixed_frame()
    assert application.simulation.frames == 5
    assert len(application.timings.phases["draw"]) == 0


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_pictures_have_framebuffer_pixels_and_hands_have_logical_ones(application, ratio):
    there = application.pick(*CENTRE)
    application.viewport = Viewport(800, 600, ratio)
    application.fixed_frame()
    assert application.stage.renderer.last["size"] == (800 * ratio, 600 * ratio)
    assert application.pick(*CENTRE) == there


# ---- pointer


def test_a_press_on_the_water_makes_a_ripple_there(application):
    cell = application.pick(*CENTRE)
    assert press(application, *CENTRE) == "poke"
    application.fixed_frame()
    row, column = np.unravel_index(np.argmax(application.simulation.heights()), GRID.shape)
    assert abs(column - cell[0]) <= 1
    assert abs(row - cell[1]) <= 1


@pytest.mark.parametrize("paused", [False, True])
def test_a_click_shorter_than_a_frame_still_makes_a_ripple(application, paused):
    application.simulation.paused = paused
    press(application, *CENTRE)
    application.pointer.release("left")
    application.fixed_frame()
    assert application.simulation.heights().max() > 0.1


def test_a_press_beside_the_water_does_nothing(application):
    press(application, 2, 2)
    application.fixed_frame()
    assert not application.simulation.heights().any()


def test_a_drag_off_the_water_lifts_the_brush_and_back_on_puts_it_down(application):
    press(application, *CENTRE)
    application.fixed_frame()
    application.pointer.move(2, 2)
    application.fixed_frame()
    assert not application.simulation.stroke.pressed
    application.pointer.move(*CENTRE)
    assert application.simulation.stroke.pressed


def test_a_right_drag_orbits_and_leaves_the_water_alone(application):
    before = application.stage.camera.pose
    assert press(application, *CENTRE, button="right") == "orbit"
    application.pointer.move(460, 300)
    application.fixed_frame()
    assert application.stage.camera.pose.yaw != before.yaw
    assert application.stage.camera.pose.target == before.target
    assert not application.simulation.heights().any()


@pytest.mark.parametrize(("button", "shift"), [("middle", False), ("right", True)])
def test_a_middle_or_shifted_right_drag_pans(application, button, shift):
    before = application.stage.camera.pose
    assert press(application, *CENTRE, button=button, shift=shift) == "pan"
    application.pointer.move(460, 330)
    assert application.stage.camera.pose.target != before.target
    assert application.stage.camera.pose.yaw == before.yaw


def test_a_press_on_a_panel_owns_the_drag_wherever_it_goes(application):
    before = application.stage.camera.pose
    assert press(application, 5, 5, gui=True) == "gui"
    application.pointer.move(*CENTRE)
    application.fixed_frame()
    assert not application.simulation.heights().any()
    assert application.stage.camera.pose == before


def test_a_second_button_does_not_take_over_a_drag(application):
    press(application, *CENTRE, button="right")
    assert press(application, *CENTRE, button="left") == "orbit"
    application.pointer.release("left")
    assert application.pointer.owner == "orbit"
    application.pointer.release("right")
    assert application.pointer.owner is None


def test_losing_the_focus_in_a_drag_lets_go_of_everything(application):
    press(application, *CENTRE)
    application.key_press("LEFT", set())
    application.focus_lost()
    application.fixed_frame()
    application.fixed_frame()
    assert application.pointer.owner is None
    assert not application.simulation.stroke.pressed
    assert not application.shortcuts.held


def test_the_wheel_zooms_and_keeps_what_is_under_the_cursor(application):
    point = np.array(application.pick_hit(300, 350).point)
    application.pointer.move(300, 350)
    distance = application.stage.camera.pose.distance
    application.pointer.scroll(2.0, False)
    assert application.stage.camera.pose.distance < distance
    x, y, _ = application.stage.camera.project(point, application.viewport.size)
    assert (x, y) == (pytest.approx(300, abs=0.5), pytest.approx(350, abs=0.5))


def test_the_wheel_over_a_panel_does_not_zoom(application):
    before = application.stage.camera.pose
    application.pointer.move(*CENTRE)
    application.pointer.scroll(2.0, True)
    assert application.stage.camera.pose == before


@pytest.mark.parametrize("pitch", [25.0, 55.0, 88.0])
@pytest.mark.parametrize("yaw", [0.0, 32.0, 200.0])
def test_the_brush_lands_under_the_cursor_from_any_camera(application, pitch, yaw):
    application.stage.camera.pose = Pose(yaw, pitch, 12.0)
    for pixel in ((400.5, 300.5), (350.5, 320.5), (470.5, 290.5)):
        hit = application.pick_hit(*pixel)
        x, y, _ = application.stage.camera.project(np.array(hit.point), application.viewport.size)
        assert (x, y) == (pytest.approx(pixel[0], abs=0.01), pytest.approx(pixel[1], abs=0.01))


# ---- keys


def test_held_arrows_turn_the_camera_until_they_come_up(application):
    application.key_press("LEFT", set())
    before = application.stage.camera.pose.yaw
    application.frame(0.1)
    turned = application.stage.camera.pose.yaw
    assert turned != before
    application.key_release("LEFT")
    application.frame(0.1)
    assert application.stage.camera.pose.yaw == turned


def test_keys_are_silent_while_typing(application):
    assert application.key_press("SPACE", set(), typing=True) is None
    assert application.key_text(".", typing=True) is None
    assert not application.simulation.paused
    assert application.simulation.frames == 0


def test_escape_closes_the_error_dialog_first_and_then_quits(application):
    application.show_error("something")
    application.key_press("ESCAPE", set())
    assert application.running
    assert not application.errors
    application.key_press("ESCAPE", set())
    assert not application.running


def test_an_unknown_action_is_nobodys(application):
    assert application.perform("make_coffee") is False


def test_a_failing_action_goes_to_the_error_dialog(application, monkeypatch):
    def fail():
        raise UserError("the disk is full")

    application.window_actions["full_screen"] = fail
    assert application.perform("full_screen")
    assert application.errors.entries[0].text == "the disk is full"


@pytest.mark.parametrize("action", ["ui_larger", "ui_smaller"])
def test_the_ui_scale_has_limits(application, action):
    for _ in range(100):
        application.perform(action)
    assert 0.5 <= application.settings.ui_scale <= 3.0


def test_a_pose_goes_through_text_and_back(application):
    text = application.camera_pose()
    application.stage.camera.pose = Pose(10.0, 20.0, 9.0)
    application.set_camera_pose(text)
    application.frame(5.0)
    assert application.camera_pose() == text


@pytest.mark.parametrize("text", ["", "yaw=1", "hello", "yaw=nan pitch=1 distance=3 target=0,0,0"])
def test_a_pose_that_is_none_is_an_error_in_the_dialog(application, text):
    application.set_camera_pose(text)
    assert "camera pose" in application.errors.entries[0].text


# ---- a GPU that fails


def fail(*_):
    error = _native.NativeError("the device fell off the bus")
    error.code = "WC_ERROR_CUDA"
    raise error


@pytest.mark.parametrize("readable", [True, False])
def test_a_gpu_that_fails_is_left_for_the_cpu_with_the_waves_kept(application, monkeypatch, readable):
    """A CPU graph stands in for the GPU's: what counts is what the application does with the failure."""
    press(application, *CENTRE)
    application.pointer.release("left")
    for _ in range(40):
        application.fixed_frame()
    failing = application.simulation
    before = failing.heights().copy()
    failing.device = "cuda"

    monkeypatch.setattr(failing, "_launch", fail)
    if not readable:
        monkeypatch.setattr(failing, "field", fail)
    application.fixed_frame()
    assert application.simulation is not failing
    assert application.backend.rung == "cpu"
    assert "fell off the bus" in application.errors.entries[0].text
    assert "fell off the bus" in application.backend.remedy
    if readable:
        np.testing.assert_array_equal(application.simulation.heights(), before)
    frames = application.simulation.frames
    application.fixed_frame()
    assert application.simulation.frames == frames + 1


def test_a_runaway_on_the_gpu_is_stopped_in_its_frame_and_never_drawn(application, monkeypatch):
    """The CPU's graph stands in: on a GPU the card looks for it in what it is about to draw."""
    simulation, launch = application.simulation, application.simulation._launch
    simulation.poke(20, 20)
    states = []
    for _ in range(4):
        application.fixed_frame()
        states.append(simulation.heights().copy())
    monkeypatch.setattr(simulation, "_views", {})
    simulation.device = "cuda"

    def run_away(graph):
        launch(graph)
        simulation.set_input("heights", np.full(simulation.grid.shape, np.nan, np.float32))

    monkeypatch.setattr(simulation, "_launch", run_away)
    monkeypatch.setattr(simulation, "_clock", None)
    monkeypatch.setattr(application.backend.transfer, "transfer", lambda s, surface: surface.upload(s.heights()))
    application.fixed_frame()
    assert simulation.paused
    assert application.lab.rescue.tripped
    # A state is trusted once the one after it is good too.
    np.testing.assert_array_equal(application.stage.surface.read_heights(), states[-2])
    assert np.abs(states[-2]).max() > 0.01


def test_a_lone_sub_step_that_runs_away_is_stopped_too(application, monkeypatch):
    application.fixed_frame()
    simulation = application.simulation
    step = simulation.step_substep
    monkeypatch.setattr(simulation, "step_substep", lambda: (step(), simulation.field("heights").fill(np.inf)))
    application.perform("step_substep")
    assert application.lab.rescue.tripped
    assert np.isfinite(simulation.heights()).all()


@pytest.mark.parametrize("moment", ["transfer", "sub-step", "input"])
def test_a_gpu_may_fail_at_any_moment(application, monkeypatch, moment):
    failing = application.simulation
    failing.device = "cuda"
    if moment == "transfer":
        monkeypatch.setattr(application.backend.transfer, "transfer", fail)
        application.fixed_frame()
    elif moment == "sub-step":
        monkeypatch.setattr(failing.cache, "load", lambda scene, grid, device: (failing.graph, failing.path))
        monkeypatch.setattr(failing, "_launch", fail)
        application.perform("step_substep")
    else:
        monkeypatch.setattr(failing, "set_input", fail)
        application.fixed_frame()
    assert application.simulation is not failing
    assert application.simulation.device == "cpu"
    assert "fell off the bus" in application.errors.entries[0].text
    application.fixed_frame()
    assert len(application.errors.entries) == 1


def test_a_gpu_that_fails_during_a_recapture_gets_no_more_captures(application, monkeypatch):
    started, go = threading.Event(), threading.Event()
    load = application.simulation.cache.load

    def slow(scene, grid, device):
        if device == "cuda":
            started.set()
            go.wait(30.0)
            fail()
        return load(scene, grid, device)

    monkeypatch.setattr(application.simulation.cache, "load", slow)
    application.simulation.device = "cuda"
    application.recapture(GRID.with_(substeps=5))
    assert started.wait(30.0)
    monkeypatch.setattr(application.simulation, "_launch", fail)
    application.fixed_frame()
    go.set()
    finish(application)
    assert (application.simulation.device, application.simulation.grid.substeps) == ("cpu", 5)
    assert len(application.errors.entries) == 1


def test_a_file_that_only_the_gpu_can_run_gives_way_to_the_default_scene(application, tmp_path, monkeypatch):
    path = tmp_path / "theirs.wrp"
    record_and_save(find_scene("wave"), GRID, path)
    application.open_capture(path)
    application.simulation.device = "cuda"
    path.unlink()
    monkeypatch.setattr(application.simulation, "_launch", fail)
    application.fixed_frame()
    assert application.simulation.scene.name == "wave"
    assert "with another scene" in application.errors.entries[0].text
    application.fixed_frame()
    assert application.simulation.frames > 0


@pytest.mark.parametrize("wanted", ["auto", "cuda-copy"])
def test_a_gpu_that_cannot_open_the_scene_is_not_insisted_on_unless_forced(tmp_path, monkeypatch, wanted):
    cache = CaptureCache(tmp_path)
    load = cache.load
    monkeypatch.setattr(
        cache, "load", lambda scene, grid, device: fail() if device == "cuda" else load(scene, grid, device)
    )
    if wanted == "auto":
        simulation, problem = open_simulation(find_scene("wave"), GRID, "cuda", wanted, cache)
        assert simulation.device == "cpu"
        assert "fell off the bus" in problem
    else:
        with pytest.raises(_native.NativeError, match="fell off the bus"):
            open_simulation(find_scene("wave"), GRID, "cuda", wanted, cache)


# ---- recaptures


def test_a_recapture_runs_beside_the_loop_and_keeps_the_waves(application):
    press(application, *CENTRE)
    application.pointer.release("left")
    application.fixed_frame()
    application.recapture(GRID.with_(substeps=20))
    finish(application)
    assert application.simulation.grid.substeps == 20
    assert application.simulation.heights().max() > 0.01
    assert not application.errors


def test_values_that_need_more_sub_steps_wait_for_them(application, monkeypatch):
    """Else the running capture would be unstable until the new one is there."""
    lab, simulation, go = application.lab, application.simulation, threading.Event()
    lab.set_grid(substeps=5)
    finish(application)
    lab.set_parameter("k_speed", 60.0)
    load = simulation.cache.load
    monkeypatch.setattr(simulation.cache, "load", lambda *wish: (go.wait(30.0), load(*wish))[1])
    lab.policy = "raise"
    assert lab.set_time_scale(4.0)
    assert lab.setup.grid.substeps > 5
    for _ in range(20):
        application.fixed_frame()
    assert (simulation.grid.substeps, simulation.time_scale) == (5, 1.0)
    go.set()
    finish(application)
    application.fixed_frame()
    assert (application.simulation.grid.substeps, application.simulation.time_scale) == (lab.setup.grid.substeps, 4.0)


def test_a_preset_runs_also_after_a_pause(application):
    application.perform("pause")
    application.lab.open_preset(0)
    finish(application)
    application.fixed_frame()
    assert not application.simulation.paused
    assert application.simulation.frames > 0


def test_the_latest_of_many_wishes_wins(application):
    for substeps in range(2, 12):
        application.recapture(GRID.with_(substeps=substeps))
    finish(application)
    assert application.simulation.grid.substeps == 11


def test_another_size_changes_the_stage_too(application):
    application.recapture(Grid(96, 80))
    finish(application)
    assert application.stage.grid.shape == (80, 96)
    application.fixed_frame()
    assert not application.errors


def test_a_recapture_that_fails_leaves_everything_running(application, monkeypatch):
    def fail(*_):
        raise UserError("no compiler")

    monkeypatch.setattr(application.simulation.cache, "load", fail)
    application.recapture(GRID.with_(substeps=9))
    finish(application)
    assert application.simulation.grid == GRID
    assert application.errors.entries[0].text == "no compiler"
    application.fixed_frame()


def finish(application):
    for _ in range(500):
        application.fixed_frame()
        if not application.busy:
            return
        time.sleep(0.01)
    pytest.fail("the recapture never ended")


def test_the_title_says_what_runs_and_how_fast(application):
    for _ in range(3):
        application.frame(1 / 50)
    assert title(application).startswith("Whitecap: Wave 64 × 48 · 50 FPS · CPU")
    application.simulation.paused = True
    assert "paused" in title(application)
