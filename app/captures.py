"""The user's cache of captured scenes: one `.wrp` for each scene, grid, sub-step count and version."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from .blame import blaming
from .errors import UsageError, UserError, notice, os_error_line
from .files import require_place, staged, writable_folder
from .scene import Grid, RecordedScene, Scene
from .trace import span

if TYPE_CHECKING:
    from .. import capture as wc

MAX_FILES = 64
"""Captures kept; the ones unused for longest go first."""
ABANDONED_SECONDS = 3600.0
"""Age at which nobody can still be writing a file that has not got its name."""


class CaptureCache:
    """Finds, makes and repairs cached captures.

    folder: where the files lie; None takes the user's cache folder, or `WHITECAP_CACHE_DIR` where that is set. A folder
    that cannot be written to is replaced by a temporary one for this run, with one line of notice.
    """

    def __init__(self, folder: Path | None = None) -> None:
        wanted = folder or default_folder()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.folder = wanted
        if not writable_folder(wanted):
            self._keep_for_this_run(f"the cache folder {wanted} cannot be written to")

    def _keep_for_this_run(self, reason: str) -> None:
        """Goes on with a temporary folder."""
        notice(f"{reason}, so captures are kept for this run only; set WHITECAP_CACHE_DIR to a folder of yours")
        self._temporary = tempfile.TemporaryDirectory(prefix="whitecap-")
        self.folder = Path(self._temporary.name)

    def path(self, scene: Scene, grid: Grid, device: str = "cpu") -> Path:
        """Where the capture of that scene and grid for that device is, or will be."""
        key = capture_key(scene, grid, device)[:12]
        name = f"{scene.name}-{grid.width}x{grid.height}x{grid.substeps}-{device}-{key}.wrp"
        return self.folder / name

    def load(self, scene: Scene, grid: Grid, device: str) -> tuple[wc.Graph, Path]:
        """A runnable graph of the scene, from the cache where it is there and sound, else captured now."""
        path = self.path(scene, grid, device)
        if path.exists() and not path.is_file():
            self._keep_for_this_run(f"{path} is in the way of a capture")
            path = self.path(scene, grid, device)
        if path.is_file():
            try:
                return self._open(path, device), path
            except Exception as error:
                if not is_damage(error):
                    raise
                notice(f"the cached capture {path.name} is damaged ({error}); capturing it again")
                remove_capture(path)
        path = self._make(scene, grid, device)
        self._prune()
        return self._open(path, device), path

    def _make(self, scene: Scene, grid: Grid, device: str) -> Path:
        """Captures now; in a temporary folder where the cache's disk takes no more."""
        path = self.path(scene, grid, device)
        try:
            record_and_save(scene, grid, path, targets_for(device))
        except OSError as error:
            if self._temporary is not None:
                raise
            remove_capture(path)
            self._keep_for_this_run(f"the cache folder {self.folder}: {os_error_line(error)}")
            path = self.path(scene, grid, device)
            record_and_save(scene, grid, path, targets_for(device))
        return path

    def _open(self, path: Path, device: str) -> wc.Graph:
        graph = open_capture(path, device)
        with suppress(OSError):
            os.utime(path)
        return graph

    def _prune(self) -> None:
        files = sorted(self.folder.glob("*.wrp"), key=_last_use, reverse=True)
        for path in files[MAX_FILES:]:
            remove_capture(path)
        for path in self.folder.glob(".*.wrp-*"):  # what a program that was closed while it saved has left
            if _last_use(path) < time() - ABANDONED_SECONDS:
                with suppress(OSError):
                    path.unlink()


def default_folder() -> Path:
    """`WHITECAP_CACHE_DIR`/captures, else captures in the user's cache folder."""
    root = os.environ.get("WHITECAP_CACHE_DIR")
    if not root:
        import platformdirs

        root = platformdirs.user_cache_dir("whitecap", appauthor=False)
    return Path(root).expanduser() / "captures"


def record(scene: Scene, grid: Grid) -> RecordedScene:
    """The scene's own recording. What fails in a user's Python is a UserError that names the line."""
    if scene.file is not None:
        return scene.record(grid)  # which says why not
    file = inspect.getfile(type(scene))
    with blaming(file, f"scene {scene.name}: "):
        recorded = scene.record(grid)
    if not isinstance(recorded, RecordedScene):
        kind = type(recorded).__name__
        raise UserError(f"scene {scene.name}: {file}: record returned {kind}: it must return a RecordedScene")
    return recorded


def targets_for(device: str) -> list[str] | None:
    """What a capture is compiled for: this processor (None), or the first CUDA device with PTX beside it."""
    if device == "cpu":
        return None
    from ..capture.cuda_compile import targets_for_device
    from ..capture.cuda_device import cuda_devices

    return targets_for_device(int(cuda_devices()[0]["arch"]))


def capture_key(scene: Scene, grid: Grid, device: str = "cpu") -> str:
    """Hex digest of everything that the recorded stream and its modules depend on."""
    from .. import _native

    machine = targets_for(device) or _native.cpu_targets()
    parts = (_native.__version__, scene.name, scene.module_hash(), repr(grid), device, repr(machine))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def open_capture(path: Path, device: str) -> wc.Graph:
    """A runnable graph of a `.wrp`. Raises NativeError, one line, for a file that is broken or not for this device."""
    from .. import capture as wc

    with span("load", "capture", file=path.name, device=device):
        return wc.capture_load(str(path), device=device)


def record_and_save(scene: Scene, grid: Grid, path: Path, targets: list[str] | None = None) -> RecordedScene:
    """Captures the scene and writes the `.wrp` and its modules folder. Returns the live recording."""
    from .. import capture as wc

    with span("record", "capture", scene=scene.name, grid=repr(grid)):
        recorded = record(scene, grid)
    with span("compile", "capture", modules=len(recorded.graph.modules)):
        _compile(recorded.graph, targets)
    with span("save", "capture", file=path.name):
        wc.capture_save(recorded.graph, str(path), inputs=recorded.inputs, outputs=recorded.outputs, targets=targets)
    return recorded


def modules_folder(path: Path) -> Path:
    """The folder beside a `.wrp` that holds its module binaries."""
    return path.with_name(path.name.removesuffix(".wrp") + "_modules")


def require_wrp(path: Path, who: str = "") -> None:
    """Refuses a name with another suffix than `.wrp`, which may be left away. Raises UsageError."""
    if path.suffix not in ("", ".wrp"):
        raise UsageError(
            f"{who}{path}: the name of a capture ends in .wrp; give {path.with_suffix('.wrp')} or {path.name}.wrp"
        )


def remove_capture(path: Path) -> None:
    """Removes a `.wrp` and its modules folder, as far as that is possible."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
    shutil.rmtree(modules_folder(path), ignore_errors=True)


def _compile(graph: wc.Graph, targets: list[str] | None) -> None:
    """Builds every module now, so that saving finds them built."""
    from ..capture import binaries
    from ..capture.targets import parse_targets

    for text in graph.modules.values():
        if targets is None:
            binaries.build_for(text, graph.device)
        else:
            for target in parse_targets(targets, "capture"):
                binaries.build(text, target)


def copy_capture(source: Path, destination: Path) -> None:
    """Copies a `.wrp` and its modules folder; the file takes its name last. Raises UserError."""
    from ..capture.save import wrp_path

    destination = wrp_path(destination)
    require_place(destination)
    try:
        folder = modules_folder(destination)
        folder.mkdir(parents=True, exist_ok=True)
        for module in modules_folder(source).iterdir():
            with staged(folder / module.name) as temporary:
                shutil.copyfile(module, temporary)
        with staged(destination) as temporary:
            shutil.copyfile(source, temporary)
    except OSError as error:
        raise UserError(f"cannot write {destination}: {os_error_line(error)}; give another place") from error


def is_damage(error: BaseException) -> bool:
    """Whether loading failed because of what is in the file, and not because of the machine."""
    return getattr(error, "code", "") in ("WC_ERROR_FORMAT", "WC_ERROR_MODULE", "WC_ERROR_IO", "WC_ERROR_VERSION")


def _last_use(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
