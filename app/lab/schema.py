"""Checked reading of nested tables: every refusal names the file, the key and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ..errors import UserError


class Table:
    """One table of a document. Ask for each key that it may hold, then call `done`, which refuses the rest.

    origin: the file's name. path: where the table stands in it ("walls[2]"), empty for the top.
    """

    def __init__(self, values: Mapping[str, Any], origin: str, path: str = "") -> None:
        self.values = dict(values)
        self.origin = origin
        self.path = path
        self._asked: list[str] = []

    def refuse(self, key: str, found: object, allowed: str) -> NoReturn:
        """Raises the one-line UserError for a key."""
        raise UserError(f"{self.origin}: {self._name(key)} is {_shown(found)}: {allowed}")

    def has(self, key: str) -> bool:
        """Whether the table holds the key."""
        return key in self.values

    def number(self, key: str, default: float | None, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number within low to high. default None: the key is needed."""
        value = self._take(key, default, f"a number {_range(low, high)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            self.refuse(key, value, f"give a number {_range(low, high)}")
        if not low <= value <= high:
            self.refuse(key, value, f"give a number {_range(low, high)}")
        return float(value)

    def whole(self, key: str, default: int | None, low: int, high: int) -> int:
        """A whole number within low to high."""
        value = self._take(key, default, f"a whole number {_range(low, high)}")
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.refuse(key, value, f"give a whole number {_range(low, high)}")
        return value

    def version(self, key: str, newest: int) -> None:
        """The version of the format that the file is written in."""
        value = self._take(key, None, f"the version of the format, which is {newest}")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.refuse(key, value, f"give the version of the format, which is {newest}")
        if value > newest:
            self.refuse(key, value, f"this release reads up to {newest}; install a newer one")

    def word(self, key: str, default: str | None, choices: Sequence[str]) -> str:
        """One of a few words."""
        value = self._take(key, default, f"one of {', '.join(choices)}")
        if value not in choices:
            self.refuse(key, value, f"give one of {', '.join(choices)}")
        return str(value)

    def text(self, key: str, default: str | None, longest: int = 2000) -> str:
        """Any text up to a length."""
        value = self._take(key, default, "a text")
        if not isinstance(value, str) or len(value) > longest:
            self.refuse(key, value, f"give a text of at most {longest} characters")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self._take(key, default, "true or false")
        if not isinstance(value, bool):
            self.refuse(key, value, "give true or false")
        return value

    def points(self, key: str, fewest: int, most: int, low: float, high: float) -> tuple[tuple[float, float], ...]:
        """A list of [x, y] pairs."""
        allowed = f"a list of {fewest} to {most} points [x, y] with numbers {_range(low, high)}"
        value = self._take(key, None, allowed)
        if not isinstance(value, list) or not fewest <= len(value) <= most:
            self.refuse(key, value, f"give {allowed}")
        for point in value:
            good = isinstance(point, list) and len(point) == 2
            if not good or not all(_is_number(number) and low <= number <= high for number in point):
                self.refuse(key, point, f"give {allowed}")
        return tuple((float(x), float(y)) for x, y in value)

    def lines(self, key: str, most: int) -> list[str]:
        """A list of texts."""
        value = self._take(key, None, "a list of texts")
        if not isinstance(value, list) or len(value) > most or not all(isinstance(line, str) for line in value):
            self.refuse(key, value, f"give a list of at most {most} texts")
        return list(value)

    def table(self, key: str) -> Table:
        """A table inside this one; an empty one when it is missing."""
        value = self._take(key, {}, "a table")
        if not isinstance(value, dict):
            self.refuse(key, value, f"give a table, [{key}]")
        return Table(value, self.origin, self._name(key))

    def tables(self, key: str, most: int) -> list[Table]:
        """A list of tables; empty when it is missing."""
        value = self._take(key, [], "a list of tables")
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.refuse(key, value, f"give tables, [[{key}]]")
        if len(value) > most:
            raise UserError(f"{self.origin}: {self._name(key)} has {len(value)} entries: at most {most} are allowed")
        return [Table(item, self.origin, f"{self._name(key)}[{n}]") for n, item in enumerate(value, 1)]

    def done(self) -> None:
        """Refuses keys that nobody asked for: a misspelt key must not be ignored."""
        for key in self.values:
            if key not in self._asked:
                allowed = ", ".join(dict.fromkeys(self._asked)) or "nothing"
                raise UserError(f"{self.origin}: {self._name(key)} is unknown: allowed here are {allowed}")

    def _take(self, key: str, default: Any, needed: str) -> Any:
        self._asked.append(key)
        if key not in self.values:
            if default is None:
                raise UserError(f"{self.origin}: {self._name(key)} is missing: give {needed}")
            return default
        return self.values[key]

    def _name(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _range(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "(any finite one)"
    if math.isinf(high):
        return f"from {low:g}"
    return f"from {low:g} to {high:g}"


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else text[:57] + "..."
