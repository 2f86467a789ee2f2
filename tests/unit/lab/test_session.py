"""The session: edits, undo, stability policies, scenes and rescue, on a simulation of plain arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fakes import FakeHost, FakeSimulation
from whitecap.app.errors import UserError
from whitecap.app.lab.document import Document, save
from whitecap.app.lab.presets import ORDER, find_preset, gallery
from whitecap.app.lab.probes import Probe
from whitecap.app.lab.setup import Setup
from whitecap.app.lab.sources import Source
from whitecap.app.lab.walls import Box
from whitecap.app.scene import Grid


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def tank() -> FakeHost:
    return FakeHost("tank", Grid(64, 64))


WALL = Box(0.2, 0.2, 0.4, 0.4)


def run(host: FakeHost, frames: int = 1) -> None:
    for _ in range(frames):
        host.lab.update()
        host.lab.before_frame()
        host.simulation.frame()
        host.lab.after_frame(host.simulation.heights())


def test_a_slider_drag_reaches_the_simulation_and_is_undone_at_once(host: FakeHost) -> None:
    for value in (70.0, 80.0, 90.0):
        assert host.lab.set_parameter("k_speed", value)
    host.lab.seal()
    assert host.simulation.values["k_speed"] == 90.0
    assert host.opened == []  # nothing was captured
    host.lab.undo()
    assert host.simulation.values["k_speed"] == 60.0
    host.lab.redo()
    assert host.simulation.values["k_speed"] == 90.0


def test_parameters_are_held_to_their_range(host: FakeHost) -> None:
    host.lab.set_parameter("k_damp", 1e12)
    assert host.simulation.values["k_damp"] == host.simulation.scene.parameter("k_damp").high


def test_time_scale_is_an_edit_like_any_other(host: FakeHost) -> None:
    host.lab.set_time_scale(100.0)
    assert host.simulation.time_scale == 4.0
    host.lab.undo()
    assert host.simulation.time_scale == 1.0


def test_a_grid_edit_captures_anew_and_keeps_the_waves(host: FakeHost) -> None:
    host.simulation.heights()[:] = 0.25
    host.lab.set_grid(width=64, height=64)
    assert host.simulation.grid == Grid(64, 64)
    assert host.simulation.heights() == pytest.approx(np.full((64, 64), 0.25))
    host.lab.undo()
    assert host.simulation.grid == Grid(128, 128)


@pytest.mark.parametrize("changes", [{"width": 0}, {"width": 99999}, {"substeps": -1}, {"width": 1.5}])
def test_an_impossible_grid_is_refused_with_a_line(host: FakeHost, changes: dict[str, float]) -> None:
    assert not host.lab.set_grid(**changes)
    assert "out of range" in host.lab.message
    assert host.simulation.grid == Grid()
    assert len(host.lab.history) == 0


# ---- stability


def test_refuse_keeps_the_stable_value_and_says_why(host: FakeHost) -> None:
    assert not host.lab.set_grid(substeps=1)
    assert host.simulation.grid.substeps == 16
    assert "refused" in host.lab.message
    assert len(host.lab.history) == 0


def test_raise_adds_substeps_to_a_fast_wave(host: FakeHost) -> None:
    host.lab.policy = "raise"
    host.lab.set_grid(substeps=2)
    assert host.lab.scheme.stable
    assert host.lab.set_parameter("k_speed", 400.0)
    assert host.lab.scheme.stable
    assert host.simulation.grid.substeps > 2
    assert "raised sub-steps" in host.lab.message
    host.lab.undo()
    assert host.simulation.grid.substeps == host.lab.setup.grid.substeps


def test_allow_lets_an_unstable_setting_happen(host: FakeHost) -> None:
    host.lab.policy = "allow"
    assert host.lab.set_grid(substeps=1)
    assert not host.lab.scheme.stable


def test_out_of_an_unstable_state_any_step_in_the_right_direction_is_taken(host: FakeHost) -> None:
    host.lab.policy = "allow"
    host.lab.set_grid(substeps=1)
    host.lab.policy = "refuse"
    assert host.lab.set_parameter("k_speed", 55.0)
    assert not host.lab.scheme.stable
    assert not host.lab.set_parameter("k_speed", 60.0)


def test_a_sponge_counts_in_the_tank(tank: FakeHost) -> None:
    before = tank.lab.scheme.damping
    edges = tank.lab.setup.boundaries.with_edge("left", "absorbing")
    tank.lab.edit(tank.lab.setup.with_(boundaries=edges), "edge")
    assert tank.lab.scheme.damping > before


# ---- walls, edges and sources


def test_walls_edges_and_sources_are_inputs_and_capture_nothing(tank: FakeHost) -> None:
    tank.opened.clear()
    lab = tank.lab
    lab.edit(lab.setup.with_(walls=(WALL,)), "wall")
    lab.edit(lab.setup.with_(boundaries=lab.setup.boundaries.with_edge("far", "fixed")), "edge")
    lab.edit(lab.setup.with_source(Source(uid=1)), "source")
    run(tank)
    assert tank.opened == []
    assert (tank.simulation.inputs["speed"] == 0).any()
    assert list(tank.simulation.inputs["edges"]) == [0, 0, 1, 0]
    assert tank.simulation.inputs["source_count"][0] == 1
    lab.undo()
    lab.undo()
    lab.undo()
    run(tank)
    assert (tank.simulation.inputs["speed"] == 1).all()
    assert not tank.simulation.inputs["edges"].any()
    assert tank.simulation.inputs["source_count"][0] == 0


def test_still_sources_cost_no_upload(tank: FakeHost) -> None:
    run(tank, 2)
    tank.simulation.written.clear()
    run(tank, 3)
    assert "sources" not in tank.simulation.written


def test_the_first_wall_takes_the_wave_scene_to_the_tank_with_its_waves(host: FakeHost) -> None:
    host.simulation.heights()[:] = 0.5
    host.lab.edit(host.lab.setup.with_(walls=(WALL,)), "wall")
    run(host)
    assert host.simulation.scene.name == "tank"
    assert host.simulation.heights() == pytest.approx(np.full((128, 128), 0.5))
    host.lab.undo()
    run(host)
    assert host.simulation.scene.name == "wave"
    assert host.simulation.heights() == pytest.approx(np.full((128, 128), 0.5))


def test_walls_follow_the_grid(tank: FakeHost) -> None:
    tank.lab.edit(tank.lab.setup.with_(walls=(WALL,)), "wall")
    tank.lab.set_grid(width=128, height=128)
    run(tank)
    assert tank.simulation.inputs["speed"].shape == (128, 128)
    assert (tank.simulation.inputs["speed"] == 0).mean() == pytest.approx(0.04, rel=0.1)


def test_while_a_capture_is_made_the_old_grid_keeps_its_walls(tank: FakeHost) -> None:
    tank.slow = True
    tank.lab.set_grid(width=128, height=128)
    tank.lab.edit(tank.lab.setup.with_(walls=(WALL,)), "wall")
    run(tank)
    assert tank.simulation.inputs["speed"].shape == (64, 64)
    tank.finish()
    run(tank)
    assert tank.simulation.inputs["speed"].shape == (128, 128)
    assert (tank.simulation.inputs["speed"] == 0).any()


def test_a_failed_capture_leaves_the_setup_where_the_simulation_is(tank: FakeHost) -> None:
    tank.fail = True
    tank.lab.set_grid(width=128, height=128)
    run(tank)
    assert tank.lab.setup.grid == tank.simulation.grid == Grid(64, 64)
    assert tank.errors.entries


def test_a_lone_substep_gets_its_own_drive(tank: FakeHost) -> None:
    tank.lab.edit(tank.lab.setup.with_source(Source(uid=1)), "source")
    tank.lab.before_frame(substeps=1)
    pushes = tank.simulation.inputs["sources"]["push"]
    assert pushes[0] != 0
    assert not pushes[1:].any()


# ---- measuring


def test_probes_record_while_it_runs_and_are_cleared_with_the_waves(tank: FakeHost) -> None:
    tank.lab.edit(tank.lab.setup.with_probe(Probe(0.5, 0.5, uid=4)), "probe")
    tank.simulation.heights()[:] = 0.125
    run(tank, 5)
    assert len(tank.lab.measurements.traces[4]) == 5
    assert tank.lab.measurements.traces[4].last == 0.125
    assert tank.lab.measurements.csv(tank.lab.setup.probes).startswith("time_s,probe_1,energy\n")
    tank.lab.perform("reset_waves")
    assert not tank.lab.measurements.traces
    assert not tank.simulation.heights().any()


def test_a_removed_probe_takes_its_trace_with_it(tank: FakeHost) -> None:
    tank.lab.edit(tank.lab.setup.with_probe(Probe(uid=4)), "probe")
    run(tank)
    tank.lab.undo()
    run(tank)
    assert tank.lab.measurements.traces == {}


# ---- runaways


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e6])
def test_a_runaway_stops_in_its_frame_on_the_last_good_state(host: FakeHost, bad: float) -> None:
    host.simulation.heights()[:] = 0.25
    run(host, 3)
    host.lab.policy = "allow"
    host.lab.set_parameter("k_speed", 100.0)
    host.simulation.heights()[5, 5] = bad
    assert host.lab.after_frame(host.simulation.heights()) is False
    assert host.simulation.paused
    assert host.simulation.heights() == pytest.approx(np.full((128, 128), 0.25))
    assert host.lab.rescue.tripped
    assert host.lab.message.startswith("stopped: ")
    assert host.lab.perform("restore")
    assert not host.simulation.paused
    assert not host.lab.rescue.tripped
    assert host.simulation.values["k_speed"] == 60.0


def test_a_runaway_seen_on_the_device_only_by_its_extremes_stops_too(host: FakeHost) -> None:
    host.lab.after_frame(extremes=(-0.1, 0.1))
    assert host.lab.after_frame(extremes=(float("-inf"), float("inf"))) is False


def test_going_back_leads_to_stable_settings_even_after_many_unstable_frames(host: FakeHost) -> None:
    host.simulation.heights()[:] = 0.25
    run(host, 3)
    host.lab.policy = "allow"
    host.lab.set_grid(substeps=1)
    for n in range(5):
        host.simulation.heights()[:] = 0.5 + n
        run(host)
    host.simulation.heights()[:] = np.nan
    assert host.lab.after_frame(host.simulation.heights()) is False
    host.lab.perform("restore")
    run(host)
    assert host.lab.scheme.stable
    assert host.simulation.grid.substeps == 16
    assert host.simulation.heights() == pytest.approx(np.full((128, 128), 0.25))


def test_restore_without_a_runaway_does_nothing(host: FakeHost) -> None:
    assert host.lab.restore() is False


def test_still_water_ends_the_rescue(host: FakeHost) -> None:
    run(host)
    host.simulation.heights()[:] = np.nan
    host.lab.after_frame(host.simulation.heights())
    host.lab.perform("reset_waves")
    assert not host.lab.rescue.tripped


# ---- scenes and presets


def test_the_gallery_has_what_it_promises() -> None:
    presets = gallery()
    assert [preset.name for preset in presets] == list(ORDER)
    assert len(presets) >= 10
    for preset in presets:
        document = preset.document()
        assert preset.title
        assert 20 < len(preset.note) < 160
        assert "\n" not in preset.note
        assert document.setup.walls or document.setup.sources


@pytest.mark.parametrize("index", range(len(ORDER)))
def test_every_preset_opens_stable_and_runs(host: FakeHost, index: int) -> None:
    assert host.lab.open_preset(index)
    run(host, 2)
    assert not host.errors
    assert host.lab.scheme.stable
    assert host.simulation.grid == host.lab.setup.grid
    assert host.lab.message == ""
    assert host.settings.preset == ORDER[index]


def test_presets_are_cycled_in_both_directions(host: FakeHost) -> None:
    seen = []
    for _ in range(len(ORDER) + 1):
        host.lab.perform("preset_next")
        seen.append(host.lab.library.preset_index)
    assert seen == [*range(len(ORDER)), 0]
    host.lab.perform("preset_previous")
    assert host.lab.library.preset_index == len(ORDER) - 1
    host.lab.perform("preset_3")
    assert host.lab.library.preset_index == 2


def test_a_preset_beyond_the_end_is_refused(host: FakeHost) -> None:
    assert not host.lab.open_preset(99)
    assert not host.lab.open_preset(-1)


def test_an_unknown_preset_names_the_known_ones() -> None:
    assert find_preset("rain") == ORDER.index("rain")
    with pytest.raises(UserError, match="give one of single-drop, two-sources"):
        find_preset("storm")


def test_opening_a_scene_starts_with_still_water_and_nothing_to_undo(host: FakeHost) -> None:
    host.lab.set_parameter("k_speed", 30.0)
    host.simulation.heights()[:] = 1.0
    host.lab.open_preset(0)
    run(host)
    assert not host.simulation.heights().any()
    assert host.lab.undo() is False


def test_a_scene_whose_capture_takes_its_time_still_starts_with_still_water(tank: FakeHost) -> None:
    tank.slow = True
    tank.simulation.heights()[:] = 1.0
    tank.lab.open_preset(1)
    run(tank, 2)
    tank.simulation.heights()[:] = 0.5  # a poke while waiting
    assert not tank.simulation.inputs["sources"]["push"].any()
    tank.finish()
    run(tank)
    assert tank.simulation.grid == Grid(192, 192)
    assert not tank.simulation.heights().any()
    assert tank.simulation.inputs["sources"]["push"].any()


def test_after_a_preset_the_next_change_of_scene_keeps_its_waves(host: FakeHost) -> None:
    host.lab.open_preset(0)
    run(host)
    host.lab.edit(host.lab.setup.with_(scene="wave", sources=(), walls=()), "scene")
    run(host)
    host.simulation.heights()[:] = 0.5
    host.lab.edit(host.lab.setup.with_(walls=(WALL,)), "wall")
    run(host)
    assert host.simulation.scene.name == "tank"
    assert (host.simulation.heights() == 0.5).all()


def test_reset_scene_goes_back_to_the_opened_one_and_can_be_undone(host: FakeHost) -> None:
    host.lab.open_preset(1)
    count = len(host.lab.setup.sources)
    host.lab.edit(host.lab.setup.without_source(host.lab.setup.sources[0].uid), "remove")
    host.lab.perform("reset_scene")
    assert len(host.lab.setup.sources) == count
    host.lab.undo()
    assert len(host.lab.setup.sources) == count - 1


def test_a_scene_saved_with_its_waves_goes_on_where_it_was(tank: FakeHost, tmp_path: Path) -> None:
    tank.lab.edit(tank.lab.setup.with_(walls=(WALL,)).with_source(Source(uid=1)), "build")
    tank.simulation.heights()[:] = np.random.default_rng(0).random((64, 64))
    waves = tank.simulation.heights().copy()
    assert tank.lab.library.save(tmp_path / "bay", with_waves=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["bay.npz", "bay.toml"]
    other = FakeHost()
    assert other.lab.load(tmp_path / "bay.toml")
    run(other)
    assert (other.simulation.heights() == waves).all()
    assert other.lab.setup == tank.lab.setup
    assert other.lab.library.path == tmp_path / "bay.toml"


@pytest.mark.parametrize("with_waves", [True, False])
def test_saving_again_saves_the_waves_too_where_that_was_chosen(
    tank: FakeHost, tmp_path: Path, with_waves: bool
) -> None:
    tank.simulation.heights()[:] = 0.25
    tank.lab.library.save(tmp_path / "bay", with_waves=with_waves)
    opened = FakeHost()
    opened.lab.load(tmp_path / "bay.toml")
    for host, height in ((tank, 0.5), (opened, 0.75)):  # the one that saved it, and one that opened it
        run(host)
        host.simulation.heights()[:] = height
        assert host.lab.perform("save")
        again = FakeHost()
        again.lab.load(tmp_path / "bay.toml")
        run(again)
        assert again.simulation.heights() == pytest.approx(np.full((64, 64), height if with_waves else 0.0))
    assert (tmp_path / "bay.npz").exists() == with_waves


def test_another_document_does_not_take_over_that_waves_are_saved(tank: FakeHost, tmp_path: Path) -> None:
    tank.lab.library.save(tmp_path / "bay", with_waves=True)
    tank.lab.open_preset(0)
    tank.lab.library.save(tmp_path / "drop")
    assert not (tmp_path / "drop.npz").exists()


def test_a_scene_whose_basin_became_shorter_can_be_saved_and_opened_again(tank: FakeHost, tmp_path: Path) -> None:
    lab = tank.lab
    lab.edit(lab.setup.with_source(Source("line", 0.5, 0.25, 0.5, 1.0, uid=1)).with_probe(Probe(0.3, 0.9, uid=2)), "")
    lab.set_grid(height=32)
    assert lab.library.save(tmp_path / "bay")
    other = FakeHost()
    assert other.lab.load(tmp_path / "bay.toml"), other.errors.entries
    source, probe = other.lab.setup.sources[0], other.lab.setup.probes[0]
    assert (source.y, source.y2, probe.x, probe.y) == (0.25, 0.5, 0.3, 0.5)


def test_waves_wait_for_a_capture_that_takes_its_time(tank: FakeHost, tmp_path: Path) -> None:
    tank.simulation.heights()[:] = 0.75
    tank.lab.library.save(tmp_path / "bay", with_waves=True)
    other = FakeHost()
    other.slow = True
    other.lab.load(tmp_path / "bay.toml")
    run(other, 3)
    assert other.simulation.scene.name == "wave"
    other.finish()
    run(other)
    assert other.simulation.heights() == pytest.approx(np.full((64, 64), 0.75))


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "no Whitecap scene"), ("whitecap = 1\nscene = 'moon'", "scene is 'moon'"), ("=", "not valid TOML")],
)
def test_a_file_that_is_refused_changes_nothing(tank: FakeHost, tmp_path: Path, text: str, words: str) -> None:
    before = tank.lab.setup
    (tmp_path / "a.toml").write_text(text)
    assert not tank.lab.load(tmp_path / "a.toml")
    assert words in tank.errors.entries[0].text
    assert tank.lab.setup is before


def test_a_scene_whose_checkpoint_is_gone_is_refused(tank: FakeHost, tmp_path: Path) -> None:
    before = tank.lab.setup
    save(tmp_path / "a.toml", Document(setup=Setup("tank"), checkpoint="a.npz"))
    assert not tank.lab.load(tmp_path / "a.toml")
    path = tmp_path / "a.toml"
    assert tank.errors.entries[0].text.startswith(f"{path}: checkpoint is 'a.npz': ")
    assert "no such file" in tank.errors.entries[0].text
    assert tank.lab.setup is before


@pytest.mark.parametrize(
    ("look", "says"),
    [({"mode": "fog"}, "look.mode is 'fog': give one of water, data"), ({"sparkle": True}, "look.sparkle is unknown")],
)
def test_a_file_with_a_look_that_is_not_allowed_is_refused_by_name(
    tank: FakeHost, tmp_path: Path, look: dict[str, object], says: str
) -> None:
    before = tank.lab.setup
    save(tmp_path / "a.toml", Document(setup=Setup("tank"), look=look))
    assert not tank.lab.load(tmp_path / "a.toml")
    path = tmp_path / "a.toml"
    assert tank.errors.entries[0].text.startswith(f"{path}: {says}")
    assert tank.lab.setup is before


def test_a_look_that_is_not_allowed_is_reported_and_the_scene_opens(tank: FakeHost) -> None:
    document = Document(setup=Setup("tank", Grid(32, 32)), look={"colormap": "rainbow"})
    tank.lab.library.open(document)
    assert "rainbow" in tank.errors.entries[0].text
    assert tank.simulation.grid == Grid(32, 32)


def test_look_and_camera_travel_with_the_scene(tank: FakeHost, tmp_path: Path) -> None:
    tank.look.colormap = "cividis"
    tank.camera.orbit(40, 10)
    pose = tank.camera_pose()
    tank.lab.library.save(tmp_path / "a")
    other = FakeHost()
    other.lab.load(tmp_path / "a.toml")
    assert other.look.colormap == "cividis"
    assert other.camera_pose() == pose


def test_a_scene_travels_through_the_clipboard(tank: FakeHost) -> None:
    tank.lab.edit(tank.lab.setup.with_source(Source(x=0.25, x2=0.25, uid=1)), "source")
    tank.lab.perform("copy_scene")
    other = FakeHost()
    other.gui.text = tank.gui.text
    other.lab.perform("paste_scene")
    assert other.lab.setup == tank.lab.setup
    other.gui.text = "hello"
    other.lab.perform("paste_scene")
    assert "clipboard: " in other.errors.entries[0].text


def test_an_unstable_document_says_so_or_is_raised(tank: FakeHost) -> None:
    document = Document(setup=Setup("tank", Grid(64, 64, 1), parameters={"k_speed": 60.0}))
    tank.lab.library.open(document)
    assert tank.lab.message == "this scene is unstable as it is set"
    tank.lab.policy = "raise"
    tank.lab.library.open(document)
    assert tank.lab.scheme.stable
    assert tank.simulation.grid.substeps > 1


def test_saving_without_a_place_asks_for_one(tank: FakeHost) -> None:
    tank.lab.perform("save")
    assert tank.lab.library.asks_for == "save"
    tank.lab.perform("open")
    assert tank.lab.library.asks_for == "open"


def test_a_save_that_fails_is_reported(tank: FakeHost, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not tank.lab.library.save(tmp_path / "file" / "a.toml")
    assert "cannot write" in tank.errors.entries[0].text
    assert tank.lab.library.path is None


def test_a_simulation_that_the_host_shows_of_its_own_accord_is_followed(tank: FakeHost) -> None:
    tank.lab.edit(tank.lab.setup.with_source(Source(uid=1)), "source")
    tank.lab.tools.take("wall")
    tank.simulation = FakeSimulation("wave", Grid(32, 32))
    tank.simulation.values["k_speed"] = 7.0
    tank.simulation.heights()[:] = 0.5
    run(tank)
    assert tank.lab.setup.scene == "wave"
    assert tank.lab.setup.grid == Grid(32, 32)
    assert tank.lab.setup.sources == ()
    assert tank.simulation.values["k_speed"] == 7.0
    assert (tank.simulation.heights() == 0.5).all()
    assert tank.lab.undo() is False
    assert tank.lab.tools.tool == "poke"


def test_a_scene_without_walls_says_so(host: FakeHost) -> None:
    wave = host.simulation.scene
    host.simulation.scene = SimpleNamespace(
        name="mine", title="Mine", parameters=wave.parameters, parameter=wave.parameter, fields=wave.fields
    )
    host.lab.setup = host.lab.setup.with_(scene="mine")
    assert not host.lab.edit(host.lab.setup.with_(walls=(WALL,)), "wall")
    assert "the scene mine has no walls" in host.lab.message
    assert host.lab.edit(host.lab.setup.with_probe(Probe(uid=1)), "probe")


def test_actions_that_are_not_the_labs_are_left_to_others(host: FakeHost) -> None:
    assert not host.lab.perform("full_screen")
    assert not host.lab.perform("cancel")
    host.lab.perform("tool_wall")
    assert host.lab.perform("cancel")
    assert host.lab.tools.tool == "poke"


def test_faster_and_slower_double_and_halve(host: FakeHost) -> None:
    host.lab.perform("faster")
    assert host.simulation.time_scale == 2.0
    host.lab.perform("slower")
    host.lab.perform("slower")
    assert host.simulation.time_scale == 0.5


def test_parameters_that_another_scene_lacks_are_dropped(host: FakeHost) -> None:
    host.lab.library.open(Document(setup=Setup("tank", Grid(32, 32), parameters={"k_speed": 30.0})))
    host.lab.edit(replace(host.lab.setup, scene="wave", sources=(), walls=()), "scene")
    run(host)
    assert host.simulation.values["k_speed"] == 30.0
