"""Heights from the GPU's memory into the buffer that draws them.

Two rungs of a ladder. Interop: CUDA writes the OpenGL buffer itself, one native call a frame (map, copy, unmap), on the
simulation's stream; nothing touches the host. Pinned: when OpenGL runs on another GPU, under WSL or remotely, the
heights come through page-locked host memory. A failure of the first rung is an InteropError, with the reason and a
remedy for the badge; CUDA itself stays usable.

Limits: one OpenGL context, current on the calling thread in every call; close buffers before the context goes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Literal, Protocol

from .. import _native
from .cuda_device import cuda_devices


class InteropError(RuntimeError):
    """OpenGL and CUDA can't share a buffer here. str(error) is reason and remedy in one line."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason = reason
        self.remedy = remedy


class HeightBuffer(Protocol):
    """Where heights go each frame."""

    @property
    def kind(self) -> Literal["interop", "pinned"]:
        """Which rung it is."""

    def copy_from(self, program: _native.Program, name: str = "heights_out") -> None:
        """Copies a whole parameter of a CUDA program, after the launches before it."""

    def close(self) -> None:
        """Lets go of the buffer; again is harmless."""


def gl_ordinals() -> list[int]:
    """CUDA ordinals of the GPUs behind the current OpenGL context; [] when it runs on none of them."""
    try:
        return list(_native.cuda_gl_devices())
    except _native.NativeError:
        return []


def register(glo: int, size: int, ordinal: int = 0) -> HeightBuffer:
    """Shares an OpenGL buffer object of `size` bytes with CUDA.

    glo: the object's name (moderngl's Buffer.glo). Raises InteropError.
    """
    name = cuda_devices()[ordinal]["name"]
    ordinals = gl_ordinals()
    if ordinal not in ordinals:
        where = f"on CUDA device {ordinals[0]}" if ordinals else "not on an NVIDIA GPU"
        raise InteropError(
            f"the picture is drawn {where} and the simulation runs on CUDA device {ordinal} ({name})",
            "start with __NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia, or keep the pinned copy",
        )
    try:
        return _Shared(_native.CudaGLBuffer(glo, ordinal), size)
    except _native.NativeError as error:
        raise InteropError(
            f"OpenGL did not share its buffer with {name}: {error}", "the pinned copy is used"
        ) from error


def pinned(write: Callable[[memoryview], Any], size: int, ordinal: int = 0) -> HeightBuffer:
    """Brings heights through page-locked host memory.

    write: gets the bytes once a frame, such as moderngl's Buffer.write. Raises NativeError when memory is short.
    """
    return _Pinned(_native.CudaPinnedBuffer(size, ordinal), write, size)


class _Shared:
    kind: Literal["interop"] = "interop"

    def __init__(self, buffer: _native.CudaGLBuffer, size: int) -> None:
        self._buffer: _native.CudaGLBuffer | None = buffer
        self._size = size

    def copy_from(self, program: _native.Program, name: str = "heights_out") -> None:
        _check_size(program, name, self._size)
        try:
            _opened(self._buffer).copy_from(program.parameter_pointer(name), self._size, program.stream)
        except _native.NativeError as error:
            raise InteropError(f"OpenGL took its buffer back: {error}", "the pinned copy is used") from error

    def close(self) -> None:
        self._buffer = None  # unregisters


class _Pinned:
    kind: Literal["pinned"] = "pinned"

    def __init__(self, buffer: _native.CudaPinnedBuffer, write: Callable[[memoryview], Any], size: int) -> None:
        self._buffer: _native.CudaPinnedBuffer | None = buffer
        self._view: memoryview | None = memoryview(buffer)
        self._write = write
        self._size = size

    def copy_from(self, program: _native.Program, name: str = "heights_out") -> None:
        _check_size(program, name, self._size)
        _opened(self._buffer).copy_from(program.parameter_pointer(name), program.stream)
        self._write(_opened(self._view))

    def close(self) -> None:
        self._view = None
        self._buffer = None


def _check_size(program: _native.Program, name: str, size: int) -> None:
    given = program.parameter_size(name)
    if given != size:
        raise ValueError(f"parameter {name!r} has {given} bytes, the buffer {size}; make a new buffer after a resize")


def _opened(thing: Any) -> Any:
    if thing is None:
        raise ValueError("the height buffer is closed")
    return thing


_EGL_CUDA_DEVICE_NV = 0x323A


def egl_device_index(ordinal: int) -> int | None:
    """Index of the EGL device that is this CUDA device, for moderngl's `device_index`; None when EGL doesn't say."""
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError:
        return None
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    query_devices = _egl_function(egl, "eglQueryDevicesEXT", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    query_attribute = _egl_function(egl, "eglQueryDeviceAttribEXT", ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    if query_devices is None or query_attribute is None:
        return None
    devices = (ctypes.c_void_p * 32)()
    count = ctypes.c_int()
    if not query_devices(len(devices), devices, ctypes.byref(count)):
        return None
    for index in range(count.value):
        value = ctypes.c_ssize_t(-1)
        if query_attribute(devices[index], _EGL_CUDA_DEVICE_NV, ctypes.byref(value)) and value.value == ordinal:
            return index
    return None


def _egl_function(egl: ctypes.CDLL, name: str, *arguments: Any) -> Callable[..., int] | None:
    address = egl.eglGetProcAddress(name.encode())
    return ctypes.CFUNCTYPE(ctypes.c_uint, *arguments)(address) if address else None
