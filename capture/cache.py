"""The folder of compiled modules: shared by processes, bounded, and never trusted.

An entry is one file, `<key>-<digest of the content><suffix>`, written beside its place and renamed: readers see all of
it or nothing. A file whose content doesn't have the digest of its name is deleted and made again. Reading an entry
marks it as used; when the folder grows over its bound, the entries not used for the longest time go.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from pathlib import Path

from .config import config

KEY_DIGITS = 32
DIGEST_DIGITS = 16

_log = logging.getLogger("whitecap")


def default_folder() -> Path:
    """$WHITECAP_CACHE_DIR/modules, else `modules` in the user's cache folder."""
    override = os.environ.get("WHITECAP_CACHE_DIR")
    if override:
        return Path(override) / "modules"
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("whitecap")) / "modules"


def make_key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:KEY_DIGITS]


class DiskCache:
    """Compiled modules on disk; a folder that can't be written is replaced by a temporary one, with one warning."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self.folder = folder
        self.limit = limit
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    @property
    def is_temporary(self) -> bool:
        """Whether the folder asked for could not be written and another one stands in for it."""
        return self._temporary is not None

    def get(self, key: str, suffix: str) -> Path | None:
        """The file of a sound entry, or None."""
        for path in self._entries(f"{key}-*{suffix}"):
            try:
                content = path.read_bytes()
            except OSError:
                continue
            if path.name == self._name(key, content, suffix):
                self._mark_used(path)
                return path
            _remove(path)
        return None

    def put(self, key: str, content: bytes, suffix: str) -> Path:
        """Stores an entry and returns its file."""
        try:
            path = self._write(self.folder, key, content, suffix)
        except OSError as error:
            self._use_temporary(error)
            path = self._write(self.folder, key, content, suffix)
        self._evict(path)
        return path

    def _name(self, key: str, content: bytes, suffix: str) -> str:
        return f"{key}-{hashlib.sha256(content).hexdigest()[:DIGEST_DIGITS]}{suffix}"

    def _entries(self, pattern: str) -> list[Path]:
        try:
            return sorted(self.folder.glob(pattern))
        except OSError:
            return []

    def _write(self, folder: Path, key: str, content: bytes, suffix: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self._name(key, content, suffix)
        handle, name = tempfile.mkstemp(prefix=".new-", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except OSError:
            _remove(Path(name))
            raise
        return path

    def _use_temporary(self, error: OSError) -> None:
        if self._temporary is None:
            _log.warning(
                "compiled modules can't be kept in %s (%s): they are built again in every process; "
                "set WHITECAP_CACHE_DIR to a folder that can be written",
                self.folder,
                error.strerror or error,
            )
        self._temporary = tempfile.TemporaryDirectory(prefix="whitecap-modules-")
        self.folder = Path(self._temporary.name)

    def _mark_used(self, path: Path) -> None:
        with contextlib.suppress(OSError):  # a folder that can only be read still serves
            os.utime(path)

    def _evict(self, newest: Path) -> None:
        """Deletes the least recently used entries until the folder is within its bound."""
        entries = []
        for path in self._entries("*"):
            try:
                status = path.stat()
            except OSError:
                continue  # another process deleted it
            entries.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        limit = config.cache_limit_bytes if self.limit is None else self.limit
        for _, size, path in sorted(entries):
            if total <= limit:
                break
            if path != newest:
                _remove(path)
                total -= size


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
