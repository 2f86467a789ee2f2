"""A capture with two grids of unknown names, all the way: asked for, answered with a click, and shown."""

import numpy as np
import pytest
from whitecap import capture as wc
from whitecap.app.application import Application
from whitecap.app.captures import record
from whitecap.app.errors import UserError
from whitecap.app.gui import Gui
from whitecap.app.panels import question
from whitecap.app.panels.state import state_of
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage
from whitecap.app.view.null import NullGui

GRID = Grid(20, 12, 4)


@pytest.fixture
def file(tmp_path):
    """The wave's frame under names that say nothing."""
    recorded = record(find_scene("wave"), GRID)
    names = {"heights": "pressure", "heights_prev": "flow"}
    inputs = {names.get(name, name): array for name, array in recorded.inputs.items()}
    return wc.capture_save(recorded.graph, tmp_path / "theirs.wrp", inputs=inputs)


@pytest.fixture
def application():
    grid = Grid(16, 16)
    made = Application(Simulation(find_scene("wave"), grid), Stage(None, grid), gui=Gui(NullGui))
    made.settings.hint_seen = True
    yield made
    made.close()


@pytest.fixture
def click(application, monkeypatch):
    """Clicks on a button of the question with the mouse, as a person does."""
    places = {}
    button = question.button

    def noted(text, *arguments, **options):
        from imgui_bundle import imgui

        pressed = button(text, *arguments, **options)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places[text] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
        return pressed

    monkeypatch.setattr(question, "button", noted)

    def click_on(text):
        for _ in range(3):
            application.fixed_frame()
        application.gui.move(*places[text])
        application.fixed_frame()
        for down in (True, False):
            application.gui.button("left", down)
            application.fixed_frame()
        return places

    return click_on


@pytest.mark.parametrize(("answer", "field"), [("pressure", "heights"), ("flow", "heights_prev")])
def test_the_answer_is_what_is_shown(application, file, click, answer, field):
    before = application.simulation
    application.open_capture(file)
    application.fixed_frame()
    assert application.simulation is before  # it goes on until there is an answer
    assert set(click(f"{answer} (20 x 12)")) == {"pressure (20 x 12)", "flow (20 x 12)", "Cancel"}
    assert state_of(application).question is None
    assert application.simulation.scene.file == file
    start = np.random.default_rng(0).random(GRID.shape, np.float32)
    reference = Simulation(find_scene("wave"), GRID)
    reference.set_input("heights", start)
    reference.set_input("heights_prev", start)
    reference.frame()
    for name in ("pressure", "flow"):
        application.simulation.set_input(name, start)
    application.fixed_frame()
    np.testing.assert_array_equal(application.stage.surface.read_heights(), reference.field(field))
    assert application.lab.setup.grid.shape == GRID.shape
    assert not application.errors


def test_without_an_answer_the_running_scene_stays(application, file, click):
    before = application.simulation
    application.open_capture(file)
    click("Cancel")
    assert application.simulation is before
    assert state_of(application).question is None


def test_where_nobody_can_be_asked_it_is_refused_with_the_names(file):
    bare = Application(Simulation(find_scene("wave"), Grid(16, 16)), Stage(None, Grid(16, 16)))
    with pytest.raises(UserError, match=r"theirs\.wrp: .*pressure \(20 x 12\), flow \(20 x 12\).*window"):
        bare.open_capture(file)
    bare.close()
