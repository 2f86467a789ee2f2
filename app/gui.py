"""Dear ImGui for the application: its context, the events it is fed, and one frame of panels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui, implot

from .lab.keys import Action, find_action
from .theme import FONT_SIZE, Theme

if TYPE_CHECKING:
    from .application import Application
    from .pointer import Button
    from .viewport import Viewport

_BUTTONS = {"left": 0, "right": 1, "middle": 2}

# Key names as the window spells them; letters and digits are added below.
_KEYS = {
    "TAB": imgui.Key.tab,
    "LEFT": imgui.Key.left_arrow,
    "RIGHT": imgui.Key.right_arrow,
    "UP": imgui.Key.up_arrow,
    "DOWN": imgui.Key.down_arrow,
    "PAGEUP": imgui.Key.page_up,
    "PAGEDOWN": imgui.Key.page_down,
    "HOME": imgui.Key.home,
    "END": imgui.Key.end,
    "INSERT": imgui.Key.insert,
    "DELETE": imgui.Key.delete,
    "BACKSPACE": imgui.Key.backspace,
    "SPACE": imgui.Key.space,
    "RETURN": imgui.Key.enter,
    "ENTER": imgui.Key.enter,
    "NUM_ENTER": imgui.Key.keypad_enter,
    "ESCAPE": imgui.Key.escape,
    "LCTRL": imgui.Key.left_ctrl,
    "RCTRL": imgui.Key.right_ctrl,
    "LSHIFT": imgui.Key.left_shift,
    "RSHIFT": imgui.Key.right_shift,
    "LALT": imgui.Key.left_alt,
    "RALT": imgui.Key.right_alt,
    "LCOMMAND": imgui.Key.left_super,
    "RCOMMAND": imgui.Key.right_super,
    "MINUS": imgui.Key.minus,
    "EQUAL": imgui.Key.equal,
    "PERIOD": imgui.Key.period,
    "COMMA": imgui.Key.comma,
    **{letter.upper(): getattr(imgui.Key, letter) for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{f"_{digit}": getattr(imgui.Key, f"_{digit}") for digit in range(10)},
    **{f"F{n}": getattr(imgui.Key, f"f{n}") for n in range(1, 13)},
}

_MODIFIERS = {
    "ctrl": (imgui.Key.mod_ctrl, ("LCTRL", "RCTRL")),
    "shift": (imgui.Key.mod_shift, ("LSHIFT", "RSHIFT")),
    "alt": (imgui.Key.mod_alt, ("LALT", "RALT")),
}

FRAMES_TO_KNOW = 2
"""The frame that a press on a panel starts something in, and the one that says whether this is typing."""


class Gui:
    """The panels' context. renderer: what draws ImGui's lists, made after the context; None draws nothing (tests).

    panels: draws the panels of an application, between `new_frame` and `render`.
    """

    def __init__(
        self,
        make_renderer: Callable[[], Any] | None = None,
        panels: Callable[[Any], None] | None = None,
    ) -> None:
        self._context = imgui.create_context()
        self._plots = implot.create_context()
        implot.set_imgui_context(self._context)
        io = imgui.get_io()
        io.set_ini_filename("")
        io.config_flags |= imgui.ConfigFlags_.nav_enable_keyboard.value
        io.config_windows_move_from_title_bar_only = True
        self._context.config_nav_windowing_key_next = _key_chord(find_action("use_panels"))
        _load_font()
        self.panels_visible = True
        self.help_visible = False
        self._navigating = False
        self._had_keyboard = False  # before a dialog took it
        self._frames_to_know = 0
        self._panels = panels if panels is not None else _find_panels()
        self._renderer = make_renderer() if make_renderer is not None else None
        if self._renderer is None:
            io.backend_flags |= imgui.BackendFlags_.renderer_has_textures.value
        self._theme = Theme(imgui.get_style())
        self._released = False

    # ---- events, in logical pixels

    def move(self, x: float, y: float) -> None:
        imgui.get_io().add_mouse_pos_event(x, y)

    def leave(self) -> None:
        """The mouse left the window."""
        imgui.get_io().add_mouse_pos_event(-3.4e38, -3.4e38)

    def button(self, button: Button, down: bool, at: tuple[float, float] | None = None) -> None:
        """A button goes down, at a pixel, or comes up."""
        self._navigating = False
        if at is not None and self.covers(*at):
            self._frames_to_know = FRAMES_TO_KNOW
        imgui.get_io().add_mouse_button_event(_BUTTONS[button], down)

    def scroll(self, x: float, y: float) -> None:
        imgui.get_io().add_mouse_wheel_event(x, y)

    def key(self, name: str, down: bool, modifiers: set[str]) -> None:
        """A key goes down or comes up; modifiers: those held, with or without this key."""
        io = imgui.get_io()
        for modifier, (key, names) in _MODIFIERS.items():
            io.add_key_event(key, down if name in names else modifier in modifiers)
        if name in _KEYS:
            io.add_key_event(_KEYS[name], down)

    def text(self, text: str) -> None:
        imgui.get_io().add_input_characters_utf8(text)

    def focus(self, focused: bool) -> None:
        imgui.get_io().add_focus_event(focused)

    @property
    def wants_mouse(self) -> bool:
        """A panel is under the cursor or holds the mouse."""
        return bool(imgui.get_io().want_capture_mouse)

    def covers(self, x: float, y: float) -> bool:
        """Whether a panel takes a press at that pixel, also when the mouse jumped there since the last frame."""
        imgui.internal.update_hovered_window_and_capture_flags(imgui.ImVec2(x, y))
        return self.wants_mouse

    @property
    def typing(self) -> bool:
        """A text field has the keyboard, or may have it: a panel was pressed and no frame has said what that meant."""
        return bool(imgui.get_io().want_text_input) or self._frames_to_know > 0

    @property
    def navigating(self) -> bool:
        """The keyboard was sent to the panels, which own arrows, Space and Enter until Esc or a click."""
        return self._navigating

    def enter_panels(self) -> None:
        """The keyboard goes to the panels, into the one that ImGui chooses by the same key."""
        self.panels_visible = self._navigating = True

    def take_keyboard(self) -> None:
        """What opens now has the keyboard at once, and its next item is marked; for dialogs, on their first frame."""
        self._had_keyboard, self._navigating = self._navigating, True
        imgui.set_window_focus()
        imgui.set_keyboard_focus_here()
        imgui.set_nav_cursor_visible(True)

    def give_keyboard_back(self) -> None:
        """What had taken it is closed: it goes to whoever had it before."""
        if not self._had_keyboard:
            self.leave_panels()

    def leave_panels(self) -> bool:
        """The keyboard comes back from the panels; False when they did not have it."""
        was, self._navigating = self._navigating, False
        if was:
            for down in (True, False):
                imgui.get_io().add_key_event(imgui.Key.escape, down)  # ImGui marks no item any more
        return was

    def close_popup(self) -> bool:
        """Closes the innermost drop-down list or menu; False when none shows."""
        popups = self._context.open_popup_stack
        if not len(popups):
            return False
        window = popups[len(popups) - 1].window
        imgui.internal.close_popup_to_level(len(popups) - 1, True)
        return window is not None and bool(window.was_active)  # else its panel was hidden while it was open

    # ---- clipboard

    def set_clipboard(self, text: str) -> None:
        imgui.set_clipboard_text(text)

    def clipboard(self) -> str:
        try:
            return imgui.get_clipboard_text() or ""
        except RuntimeError:  # an empty clipboard, with some versions of the binding
            return ""

    def use_clipboard(self, read: Callable[[], str], write: Callable[[str], None]) -> None:
        """Takes the window's clipboard in place of one of its own."""
        platform = imgui.get_platform_io()
        platform.platform_get_clipboard_text_fn = lambda _context: read()
        platform.platform_set_clipboard_text_fn = lambda _context, text: write(text)

    # ---- frames

    def draw(self, application: Application, seconds: float, target: Any) -> None:
        """One frame of panels, drawn to `target`."""
        self.begin(application.viewport, seconds, application.settings.ui_scale)
        try:
            self._panels(application)
        except BaseException:
            imgui.end_frame()  # closes what a failed panel left open, so that the next frame can show the error
            raise
        self.end(target)

    def begin(self, viewport: Viewport, seconds: float, ui_scale: float = 1.0) -> None:
        """Starts a frame."""
        io = imgui.get_io()
        io.display_size = imgui.ImVec2(float(viewport.width), float(viewport.height))
        io.display_framebuffer_scale = imgui.ImVec2(viewport.ratio, viewport.ratio)
        io.delta_time = max(seconds, 1e-4)
        self._theme.set_scale(ui_scale * viewport.ui_scale)
        imgui.new_frame()
        # One frame takes a press at most, so events may still wait; what a press meant shows a frame later.
        if imgui.get_current_context().input_events_queue.empty():
            self._frames_to_know = max(self._frames_to_know - 1, 0)

    def end(self, target: Any) -> None:
        """Ends the frame and draws it."""
        imgui.render()
        if self._renderer is not None:
            self._renderer.render(imgui.get_draw_data(), target)

    def release(self) -> None:
        """Frees the renderer's GL objects and the contexts."""
        if self._released:
            return
        self._released = True
        if self._renderer is not None:
            self._renderer.release()
        implot.destroy_context(self._plots)
        imgui.destroy_context(self._context)


def _key_chord(action: Action) -> int:
    """An action's key with its modifiers, as ImGui wants it."""
    chord = int(_KEYS[action.key])
    for name in action.modifiers:
        chord |= int(_MODIFIERS[name][0])
    return chord


def _find_panels() -> Callable[[Any], None]:
    from .panels import draw

    return draw


def _load_font() -> None:
    """The interface's font: ours, else one that comes with imgui-bundle, else ImGui's own."""
    import imgui_bundle

    assets = Path(__file__).parent.parent / "assets" / "fonts"
    bundled = Path(imgui_bundle.__file__).parent / "assets" / "fonts" / "Roboto" / "Roboto-Regular.ttf"
    for path in (*sorted(assets.glob("*.ttf")), bundled):
        if path.is_file():
            imgui.get_io().fonts.add_font_from_file_ttf(str(path), FONT_SIZE)
            return
