"""Saving and loading: one `.wrp` file and the folder of its modules beside it.

A save writes every new module file by rename, then the `.wrp` by rename, and only then deletes module files that
nothing names any more: whenever it is interrupted, the file that is there has its modules.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _native
from . import binaries, record
from .arrays import array
from .binaries import Binary
from .device import DeviceLike, get_device
from .errors import CaptureError
from .graph import Graph
from .targets import parse_targets


def capture_save(
    graph: Graph,
    path: str | os.PathLike[str],
    inputs: Mapping[str, array] | None = None,
    outputs: Mapping[str, array] | None = None,
    targets: Sequence[str] | None = None,
    warp_objects: bool = False,
) -> Path:
    """Writes `<path>.wrp` and `<stem>_modules/`; returns the path of the file.

    inputs, outputs: names for whole base arrays, which a loader reads and writes.
    targets: what to build the modules for; the first is the file's device, the others stand beside it. None: the device
    that the graph was captured on.
    warp_objects: CPU files also get object files that NVIDIA Warp's own loader links (x86-64 only).
    CaptureError, NativeError or OSError when it can't be done; an older file stays.
    """
    if not graph.is_live:
        raise CaptureError(f"capture_save(): {graph!r} was loaded from a file; copy the file and its folder of modules")
    record.refuse_while_recording("capture_save()", "call it after capture_end()")
    destination = wrp_path(path)
    built = _build(graph, targets)
    files = {binary.filename: binary.content for binary in built}
    modules = [binary.record() for binary in built[: len(graph.modules)]]
    if warp_objects:
        _add_objects(built[: len(graph.modules)], modules, files)
    capture = graph.capture.with_parameters(_bindings(graph, inputs, "inputs"), _bindings(graph, outputs, "outputs"))
    if built and not built[0].target.is_cpu:
        capture = capture.retargeted("cuda", built[0].target.arch)
    data = capture.with_modules(modules, [_alternative(binary) for binary in built]).encode()
    _publish(destination, data, files)
    return destination


def capture_load(path: str | os.PathLike[str], device: DeviceLike = None, threads: int = 0) -> Graph:
    """A graph from a `.wrp` file. device: None for the file's own. threads: of CPU replay, 0 chosen from the machine.

    Reads and validates; NativeError (one line, with `code`) for a file that is broken or lacks its modules.
    """
    file = wrp_path(path)
    capture = _native.Capture.from_file(str(file))
    graph = Graph(get_device(device if device is not None else capture.device), capture, {}, file, threads)
    _ = graph.program  # errors belong here, not to the first launch
    return graph


def wrp_path(path: str | os.PathLike[str]) -> Path:
    """The path with `.wrp` at its end. CaptureError when it names no file."""
    text = os.fspath(path)
    if os.path.basename(text.removesuffix(".wrp")) in ("", ".", ".."):
        raise CaptureError(f"{text!r} names no capture: give a file name, such as wave.wrp")
    return Path(text if text.endswith(".wrp") else f"{text}.wrp")


def modules_folder(file: Path) -> Path:
    return file.with_name(f"{file.name.removesuffix('.wrp')}_modules")


def _build(graph: Graph, targets: Sequence[str] | None) -> list[Binary]:
    """Every module for every target, all of the first target's first."""
    texts = graph.modules.values()
    if any(text.sites for text in texts):
        raise CaptureError("capture_save(): the kernels were built with config.verify; switch it off and capture again")
    if not targets:
        return [binaries.build_for(text, graph.device) for text in texts]
    return [binaries.build(text, target) for target in parse_targets(targets, "capture_save()") for text in texts]


def _alternative(binary: Binary) -> dict[str, str]:
    digest = hashlib.sha256(binary.content).hexdigest()
    names = {"target": binary.target.name, "filename": binary.filename}
    return {"module_hash": binary.text.hash, "digest": digest, **names}


def _add_objects(built: list[Binary], modules: list[dict[str, Any]], files: dict[str, bytes]) -> None:
    """Names object files in the module records; our own loader takes the libraries from the alternatives."""
    for binary, module in zip(built, modules):
        target = binary.target.name
        if not target.startswith("x86_64"):
            raise CaptureError(f"capture_save(warp_objects=True) for {target}: such objects are known for x86-64 only")
        module["binary_filename"] = binary.text.binary_name(target, ".o")
        files[module["binary_filename"]] = binaries.cpu_object(binary.text, target)


def _bindings(graph: Graph, named: Mapping[str, array] | None, who: str) -> list[tuple[str, int]]:
    pairs = []
    regions = {region["id"] for region in graph.capture.regions}
    for name, value in (named or {}).items():
        if not isinstance(value, array):
            raise CaptureError(f"capture_save({who}={{{name!r}: ...}}): an array needed, {type(value).__name__} given")
        if not name or not isinstance(name, str):
            raise CaptureError(f"capture_save({who}=...): {name!r} is no name")
        if not regions:
            raise CaptureError(f"capture_save({who}={{{name!r}: ...}}): the graph uses no arrays at all")
        pairs.append((name, value.ptr))
    return pairs


def _publish(destination: Path, data: bytes, files: dict[str, bytes]) -> None:
    folder = modules_folder(destination)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        _write(folder / name, content)
    _write(destination, data)
    for path in folder.iterdir():
        if path.name.startswith("wc_") and path.name not in files:
            path.unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    """All or nothing: beside its place, then renamed."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
