"""What fails in a scene's own Python, as one line that names its file, the line and the exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import UserError, is_foreseen, one_line


@contextmanager
def blaming(file: str | Path, who: str) -> Iterator[None]:
    """Turns whatever a user's own Python raises in the block into a UserError that starts with `who` and the place.

    What says itself where it happened, such as an error in a kernel, and what stops the program stays as it is.
    """
    from ..capture.errors import KernelError

    try:
        yield
    except (KernelError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        line = _line(error, Path(file).resolve())
        place = f"{file}:{line}" if line else str(file)
        raise UserError(f"{who}{place}: {_said(error)}") from error


def _line(error: BaseException, file: Path) -> int | None:
    """The line of the file that the error came through last."""
    found = error.lineno if isinstance(error, SyntaxError) and _is(file, error.filename) else None
    trace = error.__traceback__
    while trace is not None:
        if _is(file, trace.tb_frame.f_code.co_filename):
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def _is(file: Path, name: str | None) -> bool:
    return name is not None and Path(name).resolve() == file


def _said(error: BaseException) -> str:
    """The kind of error and its text; the text alone where it was written for a person."""
    text = one_line(error)
    if is_foreseen(error) and not isinstance(error, OSError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
