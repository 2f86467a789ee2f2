"""A drag keeps its owner from press to release, whatever else happens meanwhile: on the null renderer, no OpenGL."""

import math
import time

import numpy as np
import pytest
from whitecap.app.application import Application
from whitecap.app.pose import Pose
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage
from whitecap.app.viewport import Viewport

GRID = Grid(64, 48)


@pytest.fixture
def application():
    simulation = Simulation(find_scene("wave"), GRID)
    made = Application(simulation, Stage(None, GRID), viewport=Viewport(800, 600))
    made.stage.camera.pose = Pose(0.0, 80.0, 9.0)
    made.simulation.paused = True
    made.fixed_frame()
    yield made
    made.close()


def press(application, x, y, button="left"):
    application.pointer.move(x, y)
    return application.pointer.press(x, y, button, False, False)


def finish(application):
    for _ in range(500):
        application.fixed_frame()
        if not application.busy:
            return
        time.sleep(0.01)
    pytest.fail("the capture never ended")


def drag_over_a_capture(application, end):
    """From the middle to `end` in 60 steps; the capture that the press asked for arrives in the middle of it."""
    x, y = 400.0, 300.0
    press(application, x, y)
    for step in range(1, 61):
        if step == 30:
            finish(application)
        application.pointer.move(x + (end[0] - x) * step / 60, y + (end[1] - y) * step / 60)
        application.fixed_frame()
    finish(application)


def in_widths(application, x, y):
    cell = application.pick(x, y)
    width = application.simulation.grid.width
    return (cell[0] + 0.5) / width, (cell[1] + 0.5) / width


def test_the_first_wall_has_its_full_length_though_it_opens_another_scene(application):
    application.perform("tool_wall")
    drag_over_a_capture(application, (580.0, 340.0))
    assert application.simulation.scene.name == "tank"
    assert application.pointer.owner == "tool"
    application.pointer.release("left")
    (wall,) = application.lab.setup.walls
    assert wall.points[0] == pytest.approx(in_widths(application, 400.0, 300.0), abs=1e-4)
    assert wall.points[-1] == pytest.approx(in_widths(application, 580.0, 340.0), abs=1e-4)
    speed = np.frombuffer(application.simulation.input_bytes("speed").tobytes(), np.float32).reshape(GRID.shape)
    for part in np.linspace(0.0, 1.0, 20):
        column, row = application.pick(400.0 + 180.0 * part, 300.0 + 40.0 * part)
        assert speed[round(row), round(column)] == 0.0


@pytest.mark.parametrize("kind", ["line", "moving"])
def test_the_first_source_is_drawn_out_though_it_opens_another_scene(application, kind):
    from dataclasses import replace

    application.perform("tool_source")
    application.lab.tools.source = replace(application.lab.tools.source, kind=kind)
    drag_over_a_capture(application, (580.0, 340.0))
    application.pointer.release("left")
    (source,) = application.lab.setup.sources
    assert (source.x, source.y) == pytest.approx(in_widths(application, 400.0, 300.0), abs=1e-4)
    assert (source.x2, source.y2) == pytest.approx(in_widths(application, 580.0, 340.0), abs=1e-4)


def test_a_drag_over_a_capture_asks_for_no_other_one(application, monkeypatch):
    arrived, take_over = [], application.take_over
    monkeypatch.setattr(application, "take_over", lambda simulation: (arrived.append(1), take_over(simulation)))
    application.perform("tool_wall")
    drag_over_a_capture(application, (580.0, 340.0))
    application.pointer.release("left")
    finish(application)
    assert len(arrived) == 1


@pytest.mark.parametrize(("button", "owner"), [("right", "orbit"), ("middle", "pan")])
@pytest.mark.parametrize("what", ["scene", "grid"])
def test_the_camera_stays_in_hand_over_another_capture(application, button, owner, what):
    press(application, 400, 300, button)
    if what == "scene":
        application.open_scene("tank", GRID)
    else:
        application.recapture(Grid(96, 72))
    finish(application)
    assert application.pointer.owner == owner
    before = application.camera.pose
    application.pointer.move(440, 310)
    assert application.camera.pose != before


@pytest.mark.parametrize("what", ["scene", "grid"])
def test_a_poke_goes_on_under_the_cursor_over_another_capture(application, what):
    press(application, 470, 330)
    application.fixed_frame()
    if what == "scene":
        application.open_scene("tank", Grid(128, 96))
    else:
        application.recapture(Grid(128, 96))
    finish(application)
    application.simulation.reset()
    application.simulation.paused = False
    application.fixed_frame()
    cell = application.pick(470, 330)
    rows, columns = np.nonzero(application.simulation.heights() > 0.05)
    assert len(rows) > 4
    reach = application.simulation.values["radius"] + 4.0
    assert max(math.dist(cell, place) for place in zip(columns, rows, strict=True)) < reach


@pytest.mark.parametrize("button", ["right", "middle"])
def test_a_window_that_moves_under_the_cursor_does_not_move_the_camera(application, button):
    press(application, 400, 300, button)
    before = application.camera.pose
    application.pointer.jump(10, 590)
    assert application.camera.pose == before
    application.pointer.move(20, 590)
    moved = application.camera.pose
    application.pointer.release("left")
    application.camera.pose = before
    application.pointer.release(button)
    press(application, 400, 300, button)
    application.pointer.move(410, 300)
    assert application.camera.pose == moved


def test_a_window_that_moves_under_the_cursor_leaves_no_wake_between_the_two_places(application):
    press(application, 250, 300)
    application.fixed_frame()
    ridge = application.pick(400, 300)
    application.pointer.jump(550, 300)
    application.fixed_frame()
    application.pointer.move(551, 300)
    application.fixed_frame()
    heights = application.simulation.heights()
    assert heights[round(ridge[1]), round(ridge[0])] == 0.0
    cell = application.pick(551, 300)
    assert heights[round(cell[1]), round(cell[0])] > 0.05


def test_a_window_that_moves_under_the_cursor_draws_no_wall_between_the_two_places(application):
    application.perform("tool_wall")
    press(application, 250, 300)
    application.pointer.move(300, 300)
    application.pointer.jump(500, 300)
    application.pointer.move(501, 300)
    application.pointer.move(550, 300)
    application.pointer.release("left")
    first, second = application.lab.setup.walls
    assert first.points[-1] == pytest.approx(in_widths(application, 300, 300), abs=1e-4)
    assert second.points[0] == pytest.approx(in_widths(application, 501, 300), abs=1e-4)
    assert second.points[-1] == pytest.approx(in_widths(application, 550, 300), abs=1e-4)
