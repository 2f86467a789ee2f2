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
    """A path beside the wanted one to write to; it takes the wanted name when the block ends without an error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a whole file or nothing."""
    with staged(path) as temporary:
        temporary.write_bytes(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def writable_folder(path: Path) -> bool:
    """Whether files can be made there, making the folder if need be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path):
            return True
    except OSError:
        return False
