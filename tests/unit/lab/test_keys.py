"""The key table and what key events become."""

from __future__ import annotations

import importlib.util
import runpy
from collections import Counter
from pathlib import Path

import pytest
from whitecap.app.lab.keys import ALIASES, KEYS, MODIFIERS, Action, Shortcuts, find_action, sections


def test_no_two_actions_share_a_key_or_a_character() -> None:
    chords = Counter((a.key, a.modifiers) for a in KEYS if a.key)
    characters = Counter(a.text for a in KEYS if a.text)
    assert [c for c, n in chords.items() if n > 1] == []
    assert [c for c, n in characters.items() if n > 1] == []


def test_ids_are_unique_and_each_action_has_one_trigger_and_words() -> None:
    assert len({a.id for a in KEYS}) == len(KEYS)
    for action in KEYS:
        assert bool(action.key) != bool(action.text), action.id
        assert len(action.text) <= 1
        assert action.label, action.id
        assert action.section, action.id
        assert action.help, action.id
        assert action.modifiers <= set(MODIFIERS)


def test_key_names_are_ones_that_the_window_library_knows() -> None:
    found = importlib.util.find_spec("pyglet")
    if found is None or not found.submodule_search_locations:
        pytest.skip("needs pyglet's table of key names")
    # By path: importing pyglet.window would want a display.
    names = runpy.run_path(str(Path(found.submodule_search_locations[0], "window", "key.py")))
    unknown = [a.key for a in KEYS if a.key and a.key not in names]
    assert unknown == []


def test_characters_are_never_letters() -> None:
    """A letter typed by its character would fire together with the key of the same name."""
    assert [a.id for a in KEYS if a.text.isalpha()] == []


@pytest.mark.parametrize(
    ("key", "modifiers", "action"),
    [
        ("SPACE", (), "pause"),
        ("R", (), "reset_waves"),
        ("R", ("shift",), "reset_scene"),
        ("TAB", (), "toggle_panels"),
        ("TAB", ("ctrl",), "use_panels"),
        ("F11", (), "full_screen"),
        ("F12", (), "screenshot"),
        ("Z", ("ctrl",), "undo"),
        ("Z", ("ctrl", "shift"), "redo"),
        ("Y", ("ctrl",), "redo"),
        ("H", (), "view_home"),
        ("T", (), "view_top"),
        ("S", (), "view_side"),
        ("F", (), "frame_all"),
        ("ESCAPE", (), "cancel"),
        ("RETURN", (), "use_centre"),
        ("ENTER", (), "use_centre"),
        ("NUM_ENTER", (), "use_centre"),
    ],
)
def test_keys_do_what_the_manual_says(key: str, modifiers: tuple[str, ...], action: str) -> None:
    assert Shortcuts().press(key, modifiers) == action


@pytest.mark.parametrize(
    ("character", "action"),
    [(".", "step_frame"), (",", "step_substep"), ("?", "help"), ("+", "ui_larger"), ("-", "ui_smaller")]
    + [(str(n), f"preset_{n}") for n in range(1, 10)],
)
def test_signs_and_digits_work_by_character(character: str, action: str) -> None:
    assert Shortcuts().text(character) == action


@pytest.mark.parametrize("modifiers", [("ctrl",), ("alt",), ("ctrl", "shift"), ("ctrl", "alt", "shift")])
def test_other_modifiers_do_not_fire_the_plain_key(modifiers: tuple[str, ...]) -> None:
    assert Shortcuts().press("SPACE", modifiers) is None


def test_lock_keys_do_not_matter() -> None:
    assert Shortcuts().press("SPACE", ("numlock", "capslock")) == "pause"


def test_nothing_fires_while_typing_except_window_keys() -> None:
    shortcuts = Shortcuts()
    fired = {shortcuts.press(a.key, a.modifiers, typing=True) for a in KEYS if a.key}
    fired |= {shortcuts.text(a.text, typing=True) for a in KEYS if a.text}
    assert fired - {None} == {"full_screen", "screenshot", "screenshot_clean", "help", "use_panels"}
    assert shortcuts.held == set()


@pytest.mark.parametrize("character", ["", "a", "é", "ab", "\n", "0"])
def test_other_text_does_nothing(character: str) -> None:
    assert Shortcuts().text(character) is None


def test_unknown_keys_do_nothing() -> None:
    assert Shortcuts().press("user_key(fd)", ()) is None


def test_held_actions_last_from_press_to_release() -> None:
    shortcuts = Shortcuts()
    shortcuts.press("LEFT")
    shortcuts.press("UP")
    assert shortcuts.held == {"orbit_left", "orbit_up"}
    shortcuts.release("LEFT")
    assert shortcuts.held == {"orbit_up"}


def test_a_release_with_other_modifiers_still_ends_the_hold() -> None:
    shortcuts = Shortcuts()
    shortcuts.press("LEFT", ("shift",))
    assert shortcuts.held == {"pan_left"}
    shortcuts.release("LEFT")
    assert shortcuts.held == set()


def test_losing_focus_releases_everything() -> None:
    shortcuts = Shortcuts()
    shortcuts.press("RIGHT")
    shortcuts.release_all()
    assert shortcuts.held == set()
    shortcuts.release("RIGHT")


def test_help_shows_every_action_once() -> None:
    pages = sections()
    text = " ".join(words for lines in pages.values() for _, words in lines)
    for action in KEYS:
        if action.id not in ALIASES and not action.hold and not (action.id.startswith("preset_") and action.text):
            assert action.help[1:] in text, action.id
    chords = [chord for lines in pages.values() for chord, _ in lines]
    assert "Ctrl+Shift+Z, Ctrl+Y" in chords
    assert "1 .. 9" in chords
    assert "?, F1" in chords


def test_find_action_refuses_an_unknown_id() -> None:
    assert find_action("pause").label == "Pause"
    with pytest.raises(KeyError, match="fly"):
        find_action("fly")


def test_chords_read_as_people_write_them() -> None:
    assert Action("a", "a", "a", "a", key="RETURN", modifiers=frozenset({"shift", "ctrl"})).chord == "Ctrl+Shift+Enter"
