"""The real window under Xvfb: what mouse and keys do, seen in the pixels."""

import gc
import os
import shutil
import subprocess
import threading

import numpy as np
import pytest
from hands import SCREEN, settle_size, still
from whitecap.app.arguments import parse
from whitecap.app.pose import Pose
from whitecap.app.scene import Grid

pytestmark = [pytest.mark.window, pytest.mark.gl]


POSES = {
    "home": Pose(32.0, 27.0, 21.5, (0.0, -0.9, 0.0)),
    "above": Pose(0.0, 80.0, 20.0),
    "behind, near": Pose(205.0, 38.0, 14.0, (0.4, 0.0, -0.3)),
}


@pytest.mark.parametrize("size", ["900x600", "640x720"])
@pytest.mark.parametrize("pose", POSES.values(), ids=POSES.keys())
@pytest.mark.parametrize("mode", ["data", "water"])
def test_a_click_makes_a_ripple_in_the_pixels_under_the_cursor(open_window, pose, size, mode):
    hand = open_window("--size", size)
    still(hand)
    hand.application.look.mode = mode
    hand.application.look.caustics = False  # they light the floor all over the basin
    hand.application.camera.pose = pose
    hand.turns(3)
    before = hand.picture()
    width, height = hand.application.viewport.size
    x, y = round(0.53 * width), round(0.5 * height)
    hand.press(x, y)
    hand.release()
    hand.away()
    changed = np.abs(hand.picture() - before).sum(axis=2)
    # The dent lies around the cursor, within its radius of 5 cells and its height; elsewhere next to nothing changes.
    cell_pixels = height / (2 * np.tan(np.radians(20.0)) * pose.distance) * 0.1
    rows, columns = np.mgrid[:height, :width]
    close = np.hypot(columns - x, rows - y) < 9.0 * cell_pixels
    assert changed[y - 3 : y + 4, x - 3 : x + 4].max() > 24
    assert changed[close].mean() > 8.0 * changed[~close].mean()


def test_a_ripple_spreads_when_time_goes_on(open_window):
    hand = open_window("--size", "640x480")
    still(hand)
    hand.press(330, 250)
    hand.release()
    hand.away()
    first = hand.application.simulation.heights().copy()
    hand.application.simulation.paused = False
    hand.turns(20)
    assert np.count_nonzero(np.abs(hand.application.simulation.heights()) > 1e-3) > 2 * np.count_nonzero(first)


def test_a_drag_leaves_a_continuous_wake(open_window):
    hand = open_window("--size", "800x600")
    still(hand)
    hand.application.camera.pose = POSES["above"]
    hand.application.simulation.values["radius"] = 2.0
    hand.turns(2)
    hand.press(250, 300)
    hand.turns()
    hand.drag(550, 300)
    hand.turns()
    hand.release()
    start, end = hand.application.pick(250.5, 300.5), hand.application.pick(550.5, 300.5)
    row = round((start[1] + end[1]) / 2)
    ridge = hand.application.simulation.heights()[row, round(start[0]) : round(end[0])]
    assert len(ridge) > 20
    assert ridge.min() > 0.05


def test_a_right_drag_orbits_and_leaves_the_water_alone(open_window):
    hand = open_window("--size", "800x600")
    still(hand)
    before = hand.application.camera.pose
    hand.press(420, 300, "right")
    hand.drag(500, 330, "right")
    hand.turns()
    hand.release("right")
    assert hand.application.camera.pose.yaw != before.yaw
    assert hand.application.camera.pose.pitch != before.pitch
    assert not hand.application.simulation.heights().any()


def test_shift_and_middle_drags_pan(open_window):
    from pyglet.window import key

    hand = open_window("--size", "800x600")
    still(hand)
    for button, modifiers in (("middle", 0), ("right", key.MOD_SHIFT)):
        before = hand.application.camera.pose
        hand.press(420, 300, button, modifiers)
        hand.drag(460, 310, button)
        hand.release(button)
        assert hand.application.camera.pose.target != before.target
        assert hand.application.camera.pose.yaw == before.yaw


@pytest.mark.parametrize("button", ["left", "right"])
def test_a_drag_that_starts_on_a_panel_neither_orbits_nor_pokes(open_window, button):
    hand = open_window("--size", "1000x700")
    hand.application.simulation.paused = True
    hand.application.settings.hint_seen = True
    hand.turns(4)
    x, y = panel_point(hand)
    before = hand.application.camera.pose
    hand.press(x, y, button)
    hand.turns()
    for step in range(1, 8):
        hand.drag(x + 90 * step, y + 20 * step, button)
        hand.turns()
    hand.release(button)
    hand.turns()
    assert hand.application.camera.pose == before
    assert not hand.application.simulation.heights().any()


def panel_point(hand):
    """A pixel inside some panel."""
    width, height = hand.application.viewport.size
    for x in range(20, width, 40):
        for y in range(60, height - 60, 40):
            if hand.application.gui.covers(x, y):
                return x, y
    pytest.fail("no panel is shown")


def test_the_wheel_zooms_over_water_only(open_window):
    hand = open_window("--size", "1000x700")
    hand.application.settings.hint_seen = True
    hand.turns(4)
    distance = hand.application.camera.pose.distance
    hand.scroll(*panel_point(hand), 1)
    assert hand.application.camera.pose.distance == distance
    hand.application.gui.panels_visible = False
    hand.settle()
    distance = hand.application.camera.pose.distance
    hand.scroll(500, 350, 1)
    assert hand.application.camera.pose.distance < distance


def test_escape_quits(open_window):
    hand = open_window("--size", "640x480")
    assert hand.session.going
    hand.key("ESCAPE")
    assert not hand.session.going


def test_escape_closes_an_open_list_first(open_window, monkeypatch):
    from imgui_bundle import imgui

    hand = open_window("--size", "1000x950")
    hand.application.settings.hint_seen = True
    places, combo = [], imgui.combo

    def noting(label, *arguments, **options):
        result = combo(label, *arguments, **options)
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        places.append((corner.x + size.x / 2, corner.y + size.y / 2))
        return result

    monkeypatch.setattr(imgui, "combo", noting)
    hand.settle()
    hand.press(*places[0])
    hand.turns(2)
    hand.release()
    hand.turns(3)
    popups = imgui.get_current_context().open_popup_stack
    assert len(popups) == 1
    hand.key("ESCAPE")
    hand.turns(3)
    assert len(popups) == 0
    assert hand.session.going
    hand.key("ESCAPE")
    hand.turns(3)
    assert not hand.session.going


def test_the_close_button_quits(open_window):
    hand = open_window("--size", "640x480")
    hand._event("on_close")
    assert not hand.session.going


@pytest.mark.parametrize("how", ["on_close", "on_key_press"])
def test_closing_while_something_compiles_waits_for_nothing(display, monkeypatch, how):
    from pyglet.window import key
    from whitecap.app import session as sessions

    gate = threading.Event()
    monkeypatch.setattr(sessions, "open_simulation", lambda *_, **__: gate.wait(60))
    session = sessions.WindowSession(parse(["--fresh", "--size", "640x480"])[1])
    session.window._native.dispatch_event(how, *([key.ESCAPE, 0] if how == "on_key_press" else []))
    try:
        assert session.open() is False
        assert not gate.is_set()
    finally:
        gate.set()
        session.close()


def test_the_splash_says_what_goes_on(display, monkeypatch):
    from whitecap.app import session as sessions

    gate, make, seen = threading.Event(), sessions.open_simulation, []

    def slow(*arguments, **options):
        gate.wait(60)
        return make(*arguments, **options)

    def draw(viewport, label, seconds):
        seen.append(label)
        splash(viewport, label, seconds)
        if len(seen) == 5:
            gate.set()

    splash = sessions.draw_splash
    monkeypatch.setattr(sessions, "open_simulation", slow)
    monkeypatch.setattr(sessions, "draw_splash", draw)
    session = sessions.WindowSession(parse(["--fresh", "--size", "640x480"])[1])
    try:
        assert session.open()
        assert set(seen) == {"opening Wave"}
        width, height = session.window.viewport().framebuffer
        picture = np.frombuffer(session.window.target.read((0, 0, width, height), components=3, alignment=1), np.uint8)
        assert np.ptp(picture) > 100  # neither black nor one colour
    finally:
        session.close()


def test_typing_into_a_field_triggers_no_shortcut(open_window):
    from imgui_bundle import imgui

    hand = open_window("--size", "640x480")
    text = {"value": ""}

    def panel(_application):
        imgui.begin("Name")
        if not text.get("focused"):
            imgui.set_keyboard_focus_here()
        text["focused"] = True
        _, text["value"] = imgui.input_text("##name", text["value"])
        imgui.end()

    hand.application.gui._panels = panel
    hand.turns(3)
    assert hand.application.gui.typing
    camera = hand.application.camera.pose
    for name, character in (("SPACE", " "), ("T", "t"), ("R", "r"), ("PERIOD", "."), ("_1", "1")):
        hand.key(name)
        hand.type(character)
        hand.turns()
    hand.turns(2)
    assert text["value"] == " tr.1"
    assert not hand.application.simulation.paused
    assert hand.application.camera.pose == camera


def test_an_arrow_after_a_click_on_a_panel_still_turns_the_camera(open_window):
    hand = open_window("--size", "1000x700")
    hand.application.settings.hint_seen = True
    hand.settle()
    x, y = panel_point(hand)
    hand.press(x, y)
    hand.turns()
    hand.release()
    hand.turns(2)
    for _ in range(3):
        yaw = hand.application.camera.pose.yaw
        hand._event("on_key_press", hand._key.LEFT, 0)
        hand.turns(2)
        hand._event("on_key_release", hand._key.LEFT, 0)
        assert hand.application.camera.pose.yaw != yaw
    assert not hand.application.gui.navigating


def test_keys_go_to_the_panels_after_control_tab(open_window):
    hand = open_window("--size", "1000x700")
    hand.application.settings.hint_seen = True
    hand.settle()
    control = hand._key.MOD_CTRL
    hand._event("on_key_press", hand._key.LCTRL, control)
    hand.turns()
    hand._event("on_key_press", hand._key.TAB, control)
    hand.turns(2)
    hand._event("on_key_release", hand._key.TAB, control)
    hand.turns()
    hand._event("on_key_release", hand._key.LCTRL, 0)
    hand.turns(2)
    assert hand.application.gui.navigating
    assert hand.application.gui.panels_visible
    pose = hand.application.camera.pose
    hand.key("DOWN")
    hand.turns(2)
    assert hand.application.camera.pose == pose
    hand.key("ESCAPE")
    hand.turns(2)
    assert hand.session.going


def test_keys_right_after_a_press_on_a_panel_wait_for_what_it_meant(open_window):
    hand = open_window("--size", "1000x700")
    hand.application.settings.hint_seen = True
    hand.settle()
    x, y = panel_point(hand)
    hand.press(x, y)
    hand.release()
    hand.type("4")  # before any frame: a text field may have been pressed
    hand.turns(6)
    assert hand.application.lab.library.preset_index is None
    hand.type("4")
    hand.turns(2)
    assert hand.application.lab.library.preset_index == 3


@pytest.mark.parametrize("typed_after", [0, 1, 2])
def test_a_field_gets_what_is_typed_while_frames_are_slow(open_window, typed_after):
    from imgui_bundle import imgui

    hand = open_window("--size", "640x480")
    text, place = {"value": ""}, []

    def panel(_application):
        imgui.begin("Name")
        _, text["value"] = imgui.input_text("##name", text["value"])
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        place[:] = [corner.x + size.x / 2, corner.y + size.y / 2]
        imgui.end()

    hand.application.gui._panels = panel
    hand.turns(3)
    hand.press(*place)
    hand.turns(typed_after)
    hand.type("6")
    hand.release()
    hand.type("4")
    hand.turns(8)
    assert text["value"] == "64"
    assert hand.application.lab.library.preset_index is None


def test_space_pauses_and_shows_it(open_window):
    hand = open_window("--size", "640x480")
    hand.key("SPACE")
    frames = hand.application.simulation.frames
    hand.turns(5)
    assert hand.application.simulation.frames == frames
    hand.type(".")
    assert hand.application.simulation.frames == frames + 1


def test_the_first_wall_is_as_long_as_the_drag_of_a_real_mouse(open_window, mouse):
    hand = open_window("--size", "900x700", "--scene", "wave")
    still(hand)
    hand.application.camera.pose = POSES["above"]
    left, top = hand.session.window._native.get_location()
    start, end = hand.application.pick(300.5, 350.5), hand.application.pick(600.5, 350.5)
    mouse("mousemove", left + 300, top + 350)
    hand.turns(5)
    hand.type("w")
    hand.key("W")
    mouse("mousedown", 1)
    for step in range(1, 61):
        mouse("mousemove", left + 300 + 5 * step, top + 350)
        hand.turns()
    hand.application.swap.wait()
    hand.turns(2)
    assert hand.application.simulation.scene.name == "tank"
    assert hand.application.pointer.owner == "tool"
    mouse("mouseup", 1)
    hand.turns(5)
    assert hand.application.pointer.owner is None
    (wall,) = hand.application.lab.setup.walls
    width = hand.application.simulation.grid.width
    assert wall.points[0][0] * width == pytest.approx(start[0] + 0.5, abs=0.5)
    assert wall.points[-1][0] * width == pytest.approx(end[0] + 0.5, abs=0.5)


def test_full_screen_in_a_drag_does_not_throw_the_camera(open_window, mouse):
    hand = open_window("--size", "640x480")
    still(hand)
    native = hand.session.window._native
    native.set_location(100, 50)
    hand.turns(5)
    mouse("mousemove", 450, 320)
    hand.turns(5)
    mouse("mousedown", 3)
    hand.turns(5)
    mouse("mousemove_relative", 10, 0)
    hand.turns(5)
    step, before = -3.0, hand.application.camera.pose
    mouse("windowfocus", native._window)
    mouse("key", "F11")
    settle_size(hand, SCREEN)
    hand.turns(10)
    assert hand.application.pointer.owner == "orbit"
    assert hand.application.camera.pose == before
    mouse("mousemove_relative", 10, 0)
    hand.turns(5)
    assert hand.application.camera.pose.yaw - before.yaw == pytest.approx(step)
    assert hand.application.camera.pose.pitch == before.pitch


@pytest.mark.parametrize("how", ["size", "place"])
def test_a_window_that_changes_in_a_drag_does_not_turn_the_camera(open_window, mouse, how):
    hand = open_window("--size", "640x480")
    still(hand)
    native = hand.session.window._native
    native.set_location(0, 0)
    hand.turns(5)
    mouse("mousemove", 300, 220)
    hand.turns(5)
    mouse("mousedown", 3)
    hand.turns(5)
    before = hand.application.camera.pose
    if how == "size":
        native.set_size(800, 700)
    else:
        native.set_location(90, 60)
    hand.turns(5)
    mouse("mousemove_relative", 1, 0)
    hand.turns(5)
    after = hand.application.camera.pose  # another size is seen from another distance
    assert (after.yaw, after.pitch, after.target) == (before.yaw, before.pitch, before.target)
    mouse("mousemove_relative", 10, 0)
    hand.turns(5)
    assert hand.application.pointer.owner == "orbit"
    assert hand.application.camera.pose.yaw - before.yaw == pytest.approx(-3.0)
    assert hand.application.camera.pose.pitch == before.pitch


def test_a_button_that_came_up_elsewhere_is_let_go_of_when_the_mouse_comes_back(open_window):
    hand = open_window("--size", "640x480")
    still(hand)
    hand.press(320, 240, "right")
    hand.move(330, 240)  # no drag: no button is down
    before = hand.application.camera.pose
    hand.move(400, 240)
    assert hand.application.pointer.owner is None
    assert hand.application.camera.pose == before


@pytest.mark.parametrize(
    ("place", "typed", "modifiers", "action"),
    [
        (25, "ц", (), "tool_wall"),
        (27, "К", ("SHIFT",), "reset_scene"),
        (52, "", ("CTRL",), "undo"),
        (34, "х", (), "slower"),
        (35, "ъ", (), "faster"),
        (59, "б", (), "step_substep"),
        (60, "ю", (), "step_frame"),
        (61, "؟", ("SHIFT",), "help"),
        (10, "١", (), "preset_1"),
    ],
)
def test_a_keyboard_without_latin_letters_has_the_shortcuts_at_their_places(
    open_window, monkeypatch, place, typed, modifiers, action
):
    hand, done = open_window("--size", "320x240"), []
    monkeypatch.setattr(hand.application, "perform", lambda action: bool(done.append(action)) or True)
    held = sum(getattr(hand._key, f"MOD_{name}") for name in modifiers)
    hand._event("on_key_press", hand._key.user_key(place), held)
    if typed:
        hand.type(typed)
    hand._event("on_key_release", hand._key.user_key(place), held)
    assert done == [action]


def test_a_russian_keyboard_reaches_the_shortcuts(open_window, mouse, monkeypatch):
    if shutil.which("setxkbmap") is None:
        pytest.skip("setxkbmap is not installed: apt-get install x11-xkb-utils")
    hand, done = open_window("--size", "320x240"), []
    monkeypatch.setattr(hand.application, "perform", lambda action: bool(done.append(action)) or True)
    mouse("windowfocus", hand.session.window._native._window)
    hand.turns(5)
    subprocess.run(["setxkbmap", "ru"], check=True)
    try:
        hand.turns(5)
        for keys in ("25", "shift+27", "ctrl+52", "34", "35", "61", "shift+61", "20", "shift+21", "shift+16"):
            mouse("key", keys)
            hand.turns(3)
    finally:
        subprocess.run(["setxkbmap", "us"], check=True)
    letters = ["tool_wall", "reset_scene", "undo"]
    assert done == [*letters, "slower", "faster", "step_frame", "step_substep", "ui_smaller", "ui_larger", "help"]


def test_losing_the_focus_in_a_drag_ends_it(open_window):
    hand = open_window("--size", "640x480")
    still(hand)
    before = hand.application.camera.pose
    hand.press(320, 240, "right")
    hand._event("on_deactivate")
    hand.drag(420, 240, "right")
    hand.turns()
    assert hand.application.pointer.owner is None
    assert hand.application.camera.pose == before


@pytest.mark.parametrize("size", [(400, 300), (1200, 500), (300, 900)])
def test_a_resized_window_draws_to_its_edges(open_window, size):
    hand = open_window("--size", "640x480")
    still(hand)
    hand.session.window._native.set_size(*size)
    settle_size(hand, size)
    picture = hand.picture()
    assert picture.shape == (size[1], size[0], 3)
    assert picture[:, -3:].sum() > 0
    assert picture[-3:].sum() > 0
    assert not hand.application.errors


def test_a_hidden_window_simulates_and_draws_nothing(open_window):
    hand = open_window("--size", "640x480")
    hand._event("on_hide")
    frames, drawn = hand.application.simulation.frames, len(hand.application.timings.phases["draw"])
    hand.turns(5)
    assert hand.application.simulation.frames == frames + 5
    assert len(hand.application.timings.phases["draw"]) == drawn
    hand._event("on_show")
    hand.turns(2)
    assert len(hand.application.timings.phases["draw"]) > drawn


def test_full_screen_and_back_keeps_the_picture_alive(open_window):
    hand = open_window("--size", "640x480")
    still(hand)
    for _ in range(2):
        hand.key("F11")
        hand.turns(5)
        assert not hand.application.errors
        assert hand.picture().sum() > 0


def test_a_failing_panel_is_an_error_in_the_dialog_and_not_the_end(open_window):
    hand = open_window("--size", "640x480")
    panels = hand.application.gui._panels
    calls = []

    def broken(application):
        calls.append(1)
        if len(calls) <= 2:
            raise RuntimeError("this panel is broken")
        panels(application)

    hand.application.gui._panels = broken
    hand.turns(4)
    assert [(message.text, message.count) for message in hand.application.errors.entries] == [
        ("this panel is broken", 2)
    ]


def test_fifty_recaptures_leave_no_gl_objects_and_no_memory_behind(open_window):
    hand = open_window("--size", "320x240", "--width", "64", "--height", "64")
    hand.application.look.auto_quality = False  # it makes and drops targets as the machine allows
    sizes = [Grid(96, 64), Grid(64, 64)]
    for grid in sizes:
        recapture(hand, grid)
    objects, memory = live_gl_objects(), resident_memory()
    for number in range(50):
        recapture(hand, sizes[number % 2])
    assert live_gl_objects() == objects
    assert resident_memory() - memory < 12 << 20


def recapture(hand, grid):
    hand.application.recapture(grid)
    hand.application.swap.wait()
    hand.turns(2)
    assert hand.application.simulation.grid == grid


def live_gl_objects():
    gc.collect()
    import moderngl

    kinds = (moderngl.Buffer, moderngl.Texture, moderngl.Framebuffer, moderngl.VertexArray, moderngl.Program)
    alive = [thing for thing in gc.get_objects() if isinstance(thing, kinds)]
    return sum(not isinstance(thing.mglo, moderngl.InvalidObject) for thing in alive)


def resident_memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
