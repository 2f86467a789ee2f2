"""Files that are whole or not there: written beside their place, then renamed into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import UserError, os_error_line


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """A path beside the wanted one to write to; it takes the wanted name when the block ends without an error.

    A link's target is what changes. What exists and is no file, such as a device or a pipe, is written to as it is.
    """
    path = path.resolve()
    require_place(path)
    if path.exists() and not path.is_file():
        yield path
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem[:40]}-", suffix=path.suffix, dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise UserError(f"cannot write {path}: {os_error_line(error)}; give a folder that can be written to") from error
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {os_error_line(error)}; nothing was changed") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def require_place(path: Path) -> None:
    """Refuses, before any work is done, a path that cannot become a file; makes its folder. Raises UserError."""
    if path.is_dir():
        raise UserError(f"cannot write {path}: this is a folder; give the name of a file")
    if not writable_folder(path.parent):
        raise UserError(f"cannot write {path}: the folder {path.parent} cannot be written to; give another place")


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a whole file or nothing."""
    with staged(path) as temporary:
        temporary.write_bytes(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def require_file(path: Path) -> None:
    """Refuses a path at which there is nothing to read. Raises UserError."""
    if path.is_dir():
        raise UserError(f"{path}: this is a folder, not a file")
    if not path.exists():
        raise UserError(f"{path}: there is no such file")
    if not path.is_file():
        raise UserError(f"{path}: this is a pipe or a device, not a file")


def read_bytes(path: Path, most: int) -> bytes:
    """The first `most` bytes of a file. Raises UserError for what is none, or cannot be read."""
    try:
        require_file(path)
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise UserError(f"{path}: it cannot be opened: {error.strerror or error}") from error


def writable_folder(path: Path) -> bool:
    """Whether files can be made there, making the folder if need be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path):
            return True
    except OSError:
        return False
