"""Saving and loading: one `.wrp` file and the folder of its modules beside it.

A save writes every new module file by rename, then the `.wrp` by rename, and only then deletes module files that
nothing names any more: whenever it is interrupted, the file that is there has its modules.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import binaries, record
from .arrays import array
from .cpu_compile import TARGET_FLAGS
from .device import DeviceLike, get_device
from .errors import CaptureError
from .graph import Graph
from .module import ModuleText


@dataclass(frozen=True)
class Target:
    """What a module is built for: "x86_64_v3" and the like, "sm_90", "ptx" or "ptx_80"."""

    name: str

    @property
    def is_cpu(self) -> bool:
        return self.name in TARGET_FLAGS

    @property
    def suffix(self) -> str:
        return ".so" if self.is_cpu else binaries.cuda_suffix(self.name)

    @property
    def arch(self) -> int:
        digits = "".join(letter for letter in self.name.partition("_")[2] if letter.isdigit())
        return 0 if self.is_cpu else int(digits)


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
    built = _build(graph, _targets(graph, targets))
    modules, alternatives, files = _records(built)
    if warp_objects:
        _add_objects(graph, built[0][0], modules, files)
    capture = graph.capture.with_parameters(_bindings(graph, inputs, "inputs"), _bindings(graph, outputs, "outputs"))
    if not built[0][0].is_cpu:
        capture = capture.retargeted("cuda", built[0][0].arch)
    data = capture.with_modules(modules, alternatives).encode()
    _publish(destination, data, files)
    return destination


def capture_load(path: str | os.PathLike[str], device: DeviceLike = None, threads: int = 0) -> Graph:
    """A graph from a `.wrp` file. device: None for the file's own. threads: of CPU replay, 0 chosen from the machine.

    Reads and validates; NativeError (one line, with `code`) for a file that is broken or lacks its modules.
    """
    from .. import _native

    file = wrp_path(path)
    capture = _native.Capture.from_file(str(file))
    graph = Graph(get_device(device if device is not None else capture.device), capture, {}, file, threads)
    _ = graph.program  # errors belong here, not to the first launch
    return graph


def wrp_path(path: str | os.PathLike[str]) -> Path:
    """The path with `.wrp` at its end."""
    text = os.fspath(path)
    return Path(text if text.endswith(".wrp") else f"{text}.wrp")


def modules_folder(file: Path) -> Path:
    return file.with_name(f"{file.name.removesuffix('.wrp')}_modules")


def _targets(graph: Graph, names: Sequence[str] | None) -> list[Target]:
    if not names:
        if graph.device.is_cpu:
            return [Target(binaries.host_target())]
        return [Target(f"sm_{getattr(graph.device, 'arch', 0)}")]
    for name in names:
        if name not in TARGET_FLAGS and not (
            name.startswith(("sm_", "ptx")) and (name == "ptx" or name[-1:].isdigit())
        ):
            known = ", ".join(TARGET_FLAGS)
            raise CaptureError(
                f'capture_save(targets=[..., {name!r}]): no such target; use {known}, "sm_90" or "ptx" and the like'
            )
    return [Target("ptx_75" if name == "ptx" else name) for name in dict.fromkeys(names)]


def _build(graph: Graph, targets: list[Target]) -> list[tuple[Target, ModuleText, bytes]]:
    """Every module for every target, the first target first."""
    built = []
    for target in targets:
        for text in graph.modules.values():
            if target.is_cpu:
                content = binaries.cpu_binary(text, target.name)[0].read_bytes()
            else:
                content = binaries.cuda_binary(text, target.name)
            built.append((target, text, content))
    return built


def _records(
    built: list[tuple[Target, ModuleText, bytes]],
) -> tuple[list[dict[str, Any]], list[dict[str, str]], dict[str, bytes]]:
    import hashlib

    modules: list[dict[str, Any]] = []
    alternatives: list[dict[str, str]] = []
    files: dict[str, bytes] = {}
    for target, text, content in built:
        name = text.binary_name(target.name, target.suffix)
        files[name] = content
        if target == built[0][0]:
            modules.append({"hash": text.hash, "name": text.name, "binary_filename": name, "arch": target.arch})
        digest = hashlib.sha256(content).hexdigest()
        alternatives.append({"module_hash": text.hash, "target": target.name, "filename": name, "digest": digest})
    return modules, alternatives, files


def _add_objects(graph: Graph, target: Target, modules: list[dict[str, Any]], files: dict[str, bytes]) -> None:
    """Names object files in the module records; our own loader takes the libraries from the alternatives."""
    if not target.name.startswith("x86_64"):
        raise CaptureError(
            f"capture_save(warp_objects=True) for {target.name}: Warp's objects are known for x86-64 only"
        )
    for module, text in zip(modules, graph.modules.values()):
        name = text.binary_name(target.name, ".o")
        files[name] = binaries.cpu_object(text, target.name)
        module["binary_filename"] = name


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
