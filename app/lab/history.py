"""Undo and redo: a bounded line of immutable states, where a drag is one entry."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

State = TypeVar("State")


@dataclass(frozen=True)
class Entry(Generic[State]):
    """One edit: the states on both sides of it, what a person calls it, and what later edits it may take in."""

    label: str
    before: State
    after: State
    merge: Hashable = None


class History(Generic[State]):
    """Edits that can be taken back and made again.

    Consecutive edits with the same `merge` key become one entry until `seal` is called (the mouse button came up), so a
    slider's drag is undone at once. An entry that ends where it began is dropped. Beyond `limit` the oldest are
    forgotten.
    """

    def __init__(self, limit: int = 200) -> None:
        if limit < 1:
            raise ValueError(f"History: limit {limit} must be at least 1")
        self.limit = limit
        self._done: list[Entry[State]] = []
        self._undone: list[Entry[State]] = []
        self._sealed = True

    def push(self, label: str, before: State, after: State, merge: Hashable = None) -> None:
        """Records an edit that has been made. Whatever was undone can't be made again."""
        last = self._done[-1] if self._done and not self._sealed else None
        if last is not None and merge is not None and last.merge == merge:
            self._done.pop()
            before = last.before
        elif before == after:
            return
        self._undone.clear()
        self._sealed = merge is None
        if before != after:
            self._done.append(Entry(label, before, after, merge))
            del self._done[: -self.limit]
        else:
            self._sealed = True

    def seal(self) -> None:
        """The next edit is an entry of its own, whatever its merge key."""
        self._sealed = True

    def undo(self) -> Entry[State] | None:
        """Takes back the last edit: go to the entry's `before`. None when there is nothing to undo."""
        return self._move(self._done, self._undone)

    def redo(self) -> Entry[State] | None:
        """Makes the last undone edit again: go to the entry's `after`. None when there is nothing to redo."""
        return self._move(self._undone, self._done)

    def _move(self, source: list[Entry[State]], target: list[Entry[State]]) -> Entry[State] | None:
        self._sealed = True
        if not source:
            return None
        target.append(source.pop())
        return target[-1]

    def clear(self) -> None:
        """Forgets everything, as when another scene is opened."""
        self._done.clear()
        self._undone.clear()
        self._sealed = True

    @property
    def undo_label(self) -> str:
        """What `undo` would take back, or an empty text."""
        return self._done[-1].label if self._done else ""

    @property
    def redo_label(self) -> str:
        """What `redo` would make again, or an empty text."""
        return self._undone[-1].label if self._undone else ""

    def __len__(self) -> int:
        return len(self._done)
