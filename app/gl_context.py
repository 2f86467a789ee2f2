"""OpenGL contexts: one off screen through EGL, or the one that the window made; and what they are, for reports."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import moderngl

from .errors import UserError

REQUIRED = 330
DEVICE_VARIABLE = "WHITECAP_EGL_DEVICE"

# What the common software renderers call themselves.
_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software", "swiftshader", "microsoft basic render")

# Library name for the linker -> the Debian and Ubuntu package that has it.
_PACKAGES = {"GL": "libgl1", "EGL": "libegl1", "X11": "libx11-6"}

_SHADER_CACHE_VARIABLE = "MESA_SHADER_CACHE_DISABLE"
_SHADER_CACHE_ROOM = 16 << 20


class GLUnavailable(UserError):
    """There is no usable OpenGL here. The text names what is missing and the package that has it."""


@dataclass(frozen=True)
class GLFacts:
    """What a context is."""

    vendor: str
    renderer: str
    version: str
    version_code: int
    is_software: bool
    max_samples: int
    max_texture: int


def offscreen_context(device: int | None = None) -> moderngl.Context:
    """A context without a window, through EGL.

    device: index among EGL's devices where a machine has several; None takes WHITECAP_EGL_DEVICE, else the first.
    Raises GLUnavailable.
    """
    index = _device_from_environment() if device is None else device
    if index < 0:
        raise GLUnavailable(f"OpenGL off screen: EGL device {index} was asked for; devices count from 0")
    _require_libraries("GL", "EGL")
    spare_full_disk()
    options: dict[str, Any] = {"backend": "egl", "device_index": index}
    try:
        context = moderngl.create_context(standalone=True, require=REQUIRED, **options)
    except Exception as error:
        raise GLUnavailable(_egl_failure(index, error)) from error
    return _checked(context, "off screen")


def close_offscreen(context: moderngl.Context) -> None:
    """Gives an off-screen context back and lets go of it on this thread, which may then use a window's."""
    context.release()
    library = ctypes.util.find_library("EGL")
    if library is not None:
        ctypes.CDLL(library).eglReleaseThread()


def window_context() -> moderngl.Context:
    """The context that a window has made current on this thread. Raises GLUnavailable."""
    _require_libraries("GL", "X11")
    try:
        context = moderngl.create_context(require=REQUIRED)
    except Exception as error:
        raise GLUnavailable(
            f"OpenGL in the window: {_first_line(error)}; OpenGL 3.3 is needed: update the graphics driver, "
            "or run with --offscreen"
        ) from error
    return _checked(context, "in the window")


def spare_full_disk() -> None:
    """To be called before a context is made: goes without Mesa's shader cache where its disk is full.

    Mesa maps that cache into memory, and a process that writes to such a page on a full disk ends with SIGBUS.
    """
    place = os.environ.get("MESA_SHADER_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = Path(os.path.expanduser(place)).absolute()
    with suppress(OSError):
        while not folder.exists():
            folder = folder.parent
        if shutil.disk_usage(folder).free < _SHADER_CACHE_ROOM:
            os.environ.setdefault(_SHADER_CACHE_VARIABLE, "true")


def facts(context: moderngl.Context) -> GLFacts:
    """Vendor, renderer and limits of a context."""
    info = context.info
    renderer = str(info["GL_RENDERER"])
    return GLFacts(
        vendor=str(info["GL_VENDOR"]),
        renderer=renderer,
        version=str(info["GL_VERSION"]),
        version_code=context.version_code,
        is_software=any(name in renderer.lower() for name in _SOFTWARE),
        max_samples=context.max_samples,
        max_texture=int(info["GL_MAX_TEXTURE_SIZE"]),
    )


def _checked(context: moderngl.Context, where: str) -> moderngl.Context:
    if context.version_code < REQUIRED:
        found = context.version_code
        context.release()
        raise GLUnavailable(
            f"OpenGL {where}: found version {found // 100}.{found // 10 % 10}, 3.3 is needed; update the driver"
        )
    return context


def _require_libraries(*names: str) -> None:
    missing = [name for name in names if ctypes.util.find_library(name) is None]
    if missing:
        libraries = " and ".join(f"lib{name}" for name in missing)
        packages = " ".join([*(_PACKAGES[name] for name in missing), "libgl1-mesa-dri"])
        raise GLUnavailable(f"OpenGL: {libraries} not found on this machine; install with: apt-get install {packages}")


def _device_from_environment() -> int:
    text = os.environ.get(DEVICE_VARIABLE, "").strip()
    if not text:
        return 0
    try:
        return int(text)
    except ValueError:
        message = f"{DEVICE_VARIABLE}: '{text}' is no device index; give a number from 0, or unset it"
        raise GLUnavailable(message) from None


def _egl_failure(index: int, error: Exception) -> str:
    which = f"EGL device {index}" if index else "EGL"
    advice = (
        f"there may be fewer devices: try {DEVICE_VARIABLE}=0"
        if index
        else "a driver is missing: apt-get install libgl1-mesa-dri gives a software one"
    )
    return f"OpenGL off screen: {which} gave no OpenGL 3.3 context ({_first_line(error)}); {advice}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
