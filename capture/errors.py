"""What the kernel language reports: always the user's own line, never a compiler's view of generated code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Location:
    """A span of one line of a Python file; lines count from 1, columns from 0."""

    file: str
    line: int
    column: int
    end_column: int
    text: str


class CaptureError(RuntimeError):
    """A request that the toolkit can't carry out: one line for a person."""


class KernelError(CaptureError):
    """Something in a kernel that the language has no meaning for.

    str(error) shows file, line, the source line with a caret, what was found and what to write instead.
    """

    def __init__(self, problem: str, remedy: str, where: Location | None, kernel: str) -> None:
        self.problem = problem
        self.remedy = remedy
        self.where = where
        self.kernel = kernel
        super().__init__(self._text())

    @property
    def summary(self) -> str:
        """The same in one line."""
        place = f"{Path(self.where.file).name}:{self.where.line}: " if self.where else ""
        return f"{place}{self.kernel}: {self.problem}; {self.remedy}"

    def _text(self) -> str:
        if self.where is None:
            return f"{self.kernel}: {self.problem}\nwhat to do: {self.remedy}"
        where = self.where
        gutter = f"{where.line:>5} | "
        marks = " " * where.column + "^" * max(1, where.end_column - where.column)
        return (
            f"{where.file}:{where.line}: {self.kernel}: {self.problem}\n"
            f"{gutter}{where.text}\n"
            f"{' ' * (len(gutter) - 2)}| {marks}\n"
            f"what to do: {self.remedy}"
        )
