"""Captures from anywhere shown as a scene: finding the heights, replaying them, and what cannot be done with them."""

import numpy as np
import pytest
from whitecap import _native
from whitecap.app.application import Application
from whitecap.app.captures import record_and_save
from whitecap.app.errors import UserError
from whitecap.app.foreign import FileScene, HeightField, choose_field, height_fields
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage

GRID = Grid(20, 12, 4)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "theirs.wrp"
    record_and_save(find_scene("wave"), GRID, path)
    return path


@pytest.fixture
def application():
    grid = Grid(16, 16)
    made = Application(Simulation(find_scene("wave"), grid), Stage(None, grid))
    yield made
    made.close()


def test_the_heights_of_a_file_are_found_with_their_shape(file):
    fields = height_fields(_native.Capture.from_file(str(file)))
    assert [str(field) for field in fields] == [
        "heights_out (20 x 12)",
        "heights (20 x 12)",
        "heights_prev_out (20 x 12)",
        "heights_prev (20 x 12)",
    ]
    assert all(field.obvious for field in fields)
    assert choose_field(fields, file).name == "heights_out"


def test_a_file_is_replayed_and_can_be_poked(application, file):
    application.open_capture(file)
    assert application.simulation.heights().shape == (12, 20)
    application.simulation.poke(10, 6)
    application.fixed_frame()
    assert application.simulation.heights()[6, 10] > 0.1
    assert application.stage.grid.shape == (12, 20)
    assert not application.errors


def test_still_water_is_the_file_as_it_was(application, file):
    application.open_capture(file)
    application.simulation.poke(10, 6)
    application.fixed_frame()
    application.simulation.release()
    application.perform("reset_waves")
    assert not application.simulation.heights().any()
    application.fixed_frame()
    assert not application.simulation.heights().any()


def test_a_file_has_no_other_grid(application, file):
    application.open_capture(file)
    application.recapture(Grid(64, 64))
    application.swap.wait()
    assert "fixed in the file" in application.errors.entries[0].text
    application.fixed_frame()
    assert application.simulation.heights().shape == (12, 20)


def test_back_from_a_file_to_a_scene(application, file):
    application.open_capture(file)
    application.open_scene("wave", Grid(24, 24))
    application.swap.wait()
    application.fixed_frame()
    assert application.simulation.scene.name == "wave"
    assert not application.errors


@pytest.mark.parametrize("content", [b"", b"WRP1", b"nonsense" * 100])
def test_a_broken_file_leaves_the_running_scene_alone(application, tmp_path, content):
    path = tmp_path / "broken.wrp"
    path.write_bytes(content)
    before = application.simulation
    with pytest.raises(_native.NativeError):
        application.open_capture(path)
    assert application.simulation is before
    application.fixed_frame()


def test_a_capture_without_a_grid_has_nothing_to_show(tmp_path):
    with pytest.raises(UserError, match="nothing to show"):
        choose_field([], tmp_path / "a.wrp")


def test_two_grids_of_other_names_need_a_person(tmp_path):
    fields = [HeightField("pressure", 8, 8, True), HeightField("flow", 8, 8, True)]
    assert choose_field(fields, tmp_path / "a.wrp") is None
    assert choose_field(fields[:1], tmp_path / "a.wrp") is fields[0]


def test_a_loaded_capture_goes_back_to_its_last_good_waves_after_a_runaway(application, file):
    application.open_capture(file)
    simulation = application.simulation
    simulation.poke(5, 5)
    states = []
    for _ in range(5):
        application.fixed_frame()
        states.append(simulation.heights().copy())
    good = states[-2]  # a state is trusted once the one after it is good too
    assert np.abs(good).max() > 0.01
    simulation.field("heights")[3, 3] = np.nan
    application.fixed_frame()
    assert simulation.paused
    np.testing.assert_array_equal(simulation.heights(), good)
    assert application.perform("restore")
    for _ in range(5):
        application.fixed_frame()
    assert not application.lab.rescue.tripped
    assert np.isfinite(simulation.heights()).all()


def test_a_capture_that_does_not_name_its_state_begins_anew_after_a_runaway(application, file):
    application.swap._show_capture(FileScene(file, HeightField("heights_out", 20, 12, True)))
    application.fixed_frame()
    application.simulation.heights()[:] = np.nan
    application.fixed_frame()
    assert application.perform("restore")
    application.fixed_frame()
    assert np.isfinite(application.simulation.heights()).all()


def test_a_lone_sub_step_of_a_loaded_capture_is_refused_in_the_status_line(application, file):
    application.open_capture(file)
    application.perform("step_substep")
    assert "fixed in the file" in application.message
    assert not application.errors


def test_a_file_scene_records_nothing(file):
    scene = FileScene(file, HeightField("heights", 20, 12, True))
    with pytest.raises(UserError, match="fixed in the file"):
        scene.record(GRID)


def test_a_saved_capture_is_a_whole_one(application, tmp_path):
    application.simulation.poke(8, 8)
    application.simulation.frame()
    application.save_capture(tmp_path / "mine")
    again = Simulation(FileScene(tmp_path / "mine.wrp", HeightField("heights", 16, 16, True)))
    again.set_input("params", application.simulation.input_bytes("params"))
    again.poke(8, 8)
    again.frame()
    np.testing.assert_array_equal(again.heights(), application.simulation.heights())


def test_a_place_that_cannot_be_written_to_is_refused(application, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        application.save_capture(tmp_path / "file" / "mine.wrp")


def test_capturing_again_keeps_the_waves(application):
    application.simulation.poke(8, 8)
    application.simulation.release()
    application.fixed_frame()
    graph, heights = application.simulation.graph, application.simulation.heights().copy()
    assert application.perform("recapture")
    application.swap.wait()
    assert application.simulation.graph is not graph
    np.testing.assert_array_equal(application.simulation.heights(), heights)
