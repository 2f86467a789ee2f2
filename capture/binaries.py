"""Module binaries: found in memory, in the cache folder, among those built into the package, or compiled now."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _native
from . import cache, cpu_compile
from .config import config
from .device import Device
from .errors import CaptureError
from .module import ModuleText
from .targets import Target

BUILTIN_DIGITS = 16

_cache: cache.DiskCache | None = None
_loaded: dict[tuple[str, str], Any] = {}  # (module hash, target) -> _native.CpuModule


def disk_cache() -> cache.DiskCache:
    """The cache in use; made anew when its place has changed."""
    global _cache
    folder = cache.default_folder()
    if _cache is None or (_cache.folder != folder and not _cache.is_temporary):
        _cache = cache.DiskCache(folder)
    return _cache


def host_target() -> str:
    """The processor level that modules are compiled for here."""
    target = config.cpu_target or _native.cpu_targets()[0]
    if target not in cpu_compile.TARGET_FLAGS:
        raise CaptureError(f"no such CPU target: {target!r}; known are {', '.join(cpu_compile.TARGET_FLAGS)}")
    return target


def cpu_binary(text: ModuleText, target: str | None = None) -> tuple[Path, str]:
    """File of a module's shared library and its target. target None: the best that this machine runs.

    CaptureError when it has to be compiled and can't be.
    """
    wanted = target or host_target()
    key = _cpu_key(text, wanted)
    found = disk_cache().get(key, ".so") if key else None
    if found:
        return found, wanted
    for candidate in [wanted] if target or config.cpu_target else _runnable_targets():
        built_in = _built_in_folder() / f"{text.hash[:BUILTIN_DIGITS]}.{candidate}.so"
        if built_in.is_file():
            return built_in, candidate
    content = cpu_compile.compile_cpu(text.compiled_source, text.name, wanted)
    return disk_cache().put(key or text.hash[:32], content, ".so"), wanted


def cpu_object(text: ModuleText, target: str) -> bytes:
    """A module as the kind of object file that Warp's loader links."""
    key = _cpu_key(text, target, relocatable=True)
    found = disk_cache().get(key, ".o") if key else None
    if found:
        return found.read_bytes()
    content = cpu_compile.compile_cpu(text.compiled_source, text.name, target, relocatable=True)
    disk_cache().put(key or text.hash[:32], content, ".o")
    return content


def cuda_binary(text: ModuleText, target: str) -> bytes:
    """Cubin ("sm_90") or PTX ("ptx", "ptx_80") of a module."""
    from . import cuda_compile

    if text.sites:
        raise CaptureError(f"module {text.name} for {target}: config.verify checks on the CPU; switch it off for CUDA")
    identity = getattr(cuda_compile, "compiler_identity", lambda: "nvrtc")()
    key = cache.make_key(*_version_parts(text), target, identity)
    suffix = Target(target).suffix
    found = disk_cache().get(key, suffix)
    if found:
        return found.read_bytes()
    content = cuda_compile.compile_cuda(text.compiled_source, text.name, target)
    disk_cache().put(key, content, suffix)
    return content


@dataclass(frozen=True)
class Binary:
    """A module built for one target, with the name that its file gets."""

    text: ModuleText
    target: Target
    content: bytes

    @property
    def filename(self) -> str:
        return self.text.binary_name(self.target.name, self.target.suffix)

    def record(self) -> dict[str, Any]:
        """The module record of a capture that uses it."""
        return {
            "hash": self.text.hash, "name": self.text.name, "binary_filename": self.filename, "arch": self.target.arch
        }  # fmt: skip


def build(text: ModuleText, target: Target) -> Binary:
    """For exactly this target."""
    if target.is_cpu:
        return Binary(text, target, cpu_binary(text, target.name)[0].read_bytes())
    return Binary(text, target, cuda_binary(text, target.name))


def build_for(text: ModuleText, device: Device) -> Binary:
    """For a device at hand: the best target that can be had."""
    if device.is_cpu:
        path, name = cpu_binary(text)
        return Binary(text, Target(name), path.read_bytes())
    from .cuda_compile import targets_for_device

    return build(text, Target(targets_for_device(int(getattr(device, "arch", 0)))[0]))


def cpu_module(text: ModuleText) -> Any:
    """The module loaded into this process (_native.CpuModule)."""
    key = (text.hash, config.cpu_target or "")
    if key not in _loaded:
        path, _ = cpu_binary(text)
        _loaded[key] = _native.CpuModule(str(path))
    return _loaded[key]


def _version_parts(text: ModuleText) -> tuple[str, ...]:
    return (_native.__version__, text.hash, hashlib.sha256(text.compiled_source.encode()).hexdigest())


def _cpu_key(text: ModuleText, target: str, relocatable: bool = False) -> str | None:
    """Names everything that the binary depends on; None without a compiler."""
    compiler = cpu_compile.find_compiler()
    if compiler is None:
        return None
    flags = " ".join(cpu_compile.compiler_flags(target, relocatable))
    return cache.make_key(*_version_parts(text), target, flags, cpu_compile.compiler_identity(compiler))


def _runnable_targets() -> list[str]:
    return list(_native.cpu_targets())


def _built_in_folder() -> Path:
    return Path(_native.__file__).parent / "_builtin"
