"""Undo and redo of immutable states."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whitecap.app.lab.history import History


def filled(*values: int) -> History[int]:
    history: History[int] = History()
    for before, after in pairwise(values):
        history.push(f"to {after}", before, after)
    return history


def test_undo_and_redo_walk_the_same_line() -> None:
    history = filled(0, 1, 2, 3)
    assert [history.undo().before for _ in range(3)] == [2, 1, 0]
    assert [history.redo().after for _ in range(3)] == [1, 2, 3]


def test_nothing_to_undo_or_redo_is_none() -> None:
    history = filled(0, 1)
    assert history.redo() is None
    history.undo()
    assert history.undo() is None


def test_a_new_edit_forgets_what_was_undone() -> None:
    history = filled(0, 1, 2)
    history.undo()
    history.push("to 9", 1, 9)
    assert history.redo() is None
    assert history.undo().before == 1
    assert history.undo().before == 0


def test_a_drag_is_one_entry() -> None:
    history: History[int] = History()
    for value in range(5):
        history.push("speed", value, value + 1, merge="k_speed")
    assert len(history) == 1
    assert history.undo().before == 0
    assert history.redo().after == 5


def test_two_drags_of_the_same_slider_are_two_entries() -> None:
    history: History[int] = History()
    history.push("speed", 0, 1, merge="k_speed")
    history.seal()
    history.push("speed", 1, 2, merge="k_speed")
    assert len(history) == 2


def test_drags_of_different_sliders_do_not_merge() -> None:
    history: History[int] = History()
    history.push("speed", 0, 1, merge="k_speed")
    history.push("damping", 1, 2, merge="k_damp")
    history.push("speed", 2, 3, merge="k_speed")
    assert len(history) == 3


def test_edits_without_a_key_never_merge() -> None:
    history = filled(0, 1, 2)
    assert len(history) == 2


def test_a_drag_that_ends_where_it_began_leaves_nothing() -> None:
    history: History[int] = History()
    history.push("speed", 0, 1, merge="k_speed")
    history.push("speed", 1, 0, merge="k_speed")
    assert len(history) == 0
    assert history.undo() is None


def test_an_edit_that_changes_nothing_keeps_redo() -> None:
    history = filled(0, 1)
    history.undo()
    history.push("nothing", 0, 0)
    assert history.redo().after == 1


def test_undo_ends_a_drag() -> None:
    history: History[int] = History()
    history.push("speed", 0, 1, merge="k")
    history.push("speed", 1, 2, merge="k")
    history.undo()
    history.push("speed", 0, 7, merge="k")
    assert history.undo().before == 0
    assert len(history) == 0


def test_the_oldest_entries_are_forgotten() -> None:
    history: History[int] = History(limit=3)
    for value in range(10):
        history.push("x", value, value + 1)
    assert len(history) == 3
    assert [history.undo().before for _ in range(3)] == [9, 8, 7]
    assert history.undo() is None


def test_labels_say_what_comes_next() -> None:
    history = filled(0, 1, 2)
    assert (history.undo_label, history.redo_label) == ("to 2", "")
    history.undo()
    assert (history.undo_label, history.redo_label) == ("to 1", "to 2")
    history.clear()
    assert (history.undo_label, history.redo_label) == ("", "")


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        History(limit=0)


@given(st.lists(st.tuples(st.sampled_from(["edit", "drag", "seal", "undo", "redo"]), st.integers(0, 3)), max_size=40))
def test_any_sequence_undoes_to_the_start(steps: list[tuple[str, int]]) -> None:
    history: History[int] = History(limit=1000)
    state = 0
    for step, value in steps:
        if step == "edit":
            history.push("edit", state, value)
            state = value
        elif step == "drag":
            history.push("drag", state, value, merge="drag")
            state = value
        elif step == "seal":
            history.seal()
        elif step == "undo" and (entry := history.undo()):
            assert entry.after == state
            state = entry.before
        elif step == "redo" and (entry := history.redo()):
            assert entry.before == state
            state = entry.after
    while entry := history.undo():
        assert entry.after == state
        state = entry.before
    assert state == 0
