"""From CUDA C++ text to machine code or PTX, through NVRTC (the extra `whitecap[cuda]`).

Works without a GPU. The options are part of the numerics contract: no contraction to fused multiply-adds beyond the
explicit ones, IEEE division and square root, no flushing of subnormal numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from .errors import CaptureError

_OPTIONS = ("--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true", "--no-source-include")
# PTX names the version of its own language, and a driver refuses a newer one than it knows. What the kernels use exists
# since 7.8 (CUDA 11.8), so that is what is written for every architecture that this version has.
_PTX_VERSION, _PTX_NEWEST_ARCH = b"7.8", 90
_TARGET = re.compile(r"(?P<kind>sm|ptx)_(?P<arch>\d{2,3})(?P<suffix>[af]?)")


class CudaCompileError(CaptureError):
    """CUDA code could not be compiled; the text is one line that says what was found, what is needed, what to do.

    log: the compiler's own words, or "".
    """

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


def compile_cuda(source: str, name: str, target: str) -> bytes:
    """Compiles one self-contained text (no headers).

    name: what messages call it. target: "sm_90" for machine code of an architecture, "ptx_80" for PTX of one, "ptx" for
    PTX of the oldest that the toolkit knows.
    Raises CudaCompileError: NVRTC is missing, the target is unknown, or the text is wrong.
    """
    kind, arch = _parse(target)
    nvrtc = _nvrtc()
    virtual = "compute" if kind == "ptx" else "sm"
    options = [option.encode() for option in (f"--gpu-architecture={virtual}_{arch}", *_OPTIONS)]
    program = _checked(nvrtc.nvrtcCreateProgram(source.encode(), f"{name}.cu".encode(), 0, [], []), name)
    try:
        (result,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program, name)
            problem = f"{name}: NVRTC {_version_text()} refused the generated code for {target}: {_first_error(log)}"
            raise CudaCompileError(problem, log)
        if kind == "ptx":
            return _readable_ptx(_read(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program, name).rstrip(b"\0"), arch)
        return _read(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program, name)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def resolve_target(target: str) -> str:
    """The full name of a target: "ptx" becomes "ptx_75" (the oldest); others are checked and returned as they are."""
    kind, arch = _parse(target)
    return f"{kind}_{arch}"


def supported_targets() -> list[str]:
    """What this NVRTC compiles to: "sm_75" ... and "ptx_75" ..., oldest first."""
    return [f"{kind}_{arch}" for kind in ("sm", "ptx") for arch in _architectures()]


def toolkit_version() -> tuple[int, int]:
    """Version of NVRTC, such as (13, 0). Raises CudaCompileError when it is missing."""
    nvrtc = _nvrtc()
    result, major, minor = nvrtc.nvrtcVersion()
    _checked((result,), "NVRTC")
    return int(major), int(minor)


def compiler_identity() -> str:
    """What the result depends on beside text and target, for caches: "nvrtc 13.0 --fmad=false ...".

    Raises CudaCompileError when NVRTC is missing.
    """
    return " ".join([f"nvrtc {_version_text()}", *_OPTIONS])


def targets_for_device(arch: int) -> list[str]:
    """What to compile for a device: its machine code, and PTX for the others; PTX alone when NVRTC doesn't know it.

    arch: 90 for sm_90. Raises CudaCompileError when this toolkit compiles nothing that the device runs.
    """
    known = [candidate for candidate in _architectures() if candidate <= arch]
    if not known:
        raise CudaCompileError(
            f"this GPU is sm_{arch} and NVRTC {_version_text()} compiles for {_listed()}; "
            "install an older NVRTC (pip install 'nvidia-cuda-nvrtc<13') or use the CPU"
        )
    family = [candidate for candidate in known if candidate // 10 == arch // 10]
    return [f"sm_{family[-1]}", f"ptx_{known[0]}"] if family else [f"ptx_{known[-1]}"]


def _parse(target: str) -> tuple[str, str]:
    if target == "ptx":
        return "ptx", str(_architectures()[0])
    match = _TARGET.fullmatch(target)
    if match is None or int(match["arch"]) not in _architectures():
        raise CudaCompileError(
            f"target {target!r} is unknown to NVRTC {_version_text()}; it compiles for ptx and {_listed()}"
        )
    return match["kind"], match["arch"] + match["suffix"]


def _listed() -> str:
    return ", ".join(f"sm_{arch}" for arch in _architectures())


def _version_text() -> str:
    return ".".join(str(part) for part in toolkit_version())


def _readable_ptx(ptx: bytes, arch: str) -> bytes:
    if int(arch.rstrip("af")) > _PTX_NEWEST_ARCH:
        return ptx
    return re.sub(rb"^\.version .*$", b".version " + _PTX_VERSION, ptx, count=1, flags=re.MULTILINE)


@lru_cache(maxsize=1)
def _architectures() -> list[int]:
    nvrtc = _nvrtc()
    return sorted(int(arch) for arch in _checked(nvrtc.nvrtcGetSupportedArchs(), "NVRTC"))


@lru_cache(maxsize=1)
def _nvrtc() -> Any:
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()  # loads the library
    except Exception as error:  # the bindings raise RuntimeError, ImportError or their own kinds
        reason = str(error).strip().splitlines()
        raise CudaCompileError(
            f"compiling for CUDA needs NVRTC, which is missing ({reason[0] if reason else type(error).__name__}); "
            "install it with: pip install 'whitecap[cuda]'"
        ) from error
    return nvrtc


def _checked(returned: tuple[Any, ...], name: str) -> Any:
    result, *values = returned
    if int(result) != 0:
        raise CudaCompileError(f"{name}: NVRTC failed with {result.name}")
    return values[0] if len(values) == 1 else values


def _read(size_of: Any, get: Any, program: Any, name: str) -> bytes:
    buffer = b" " * int(_checked(size_of(program), name))
    _checked(get(program, buffer), name)
    return buffer


def _text(size_of: Any, get: Any, program: Any, name: str) -> str:
    return _read(size_of, get, program, name).rstrip(b"\0").decode(errors="replace")


def _first_error(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")
