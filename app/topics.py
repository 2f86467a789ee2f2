"""What the doctor looks at, one function a topic."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .doctor import Finding, topic
from .errors import one_line
from .files import writable_folder
from .messages import counted

_NEEDED = ("numpy", "pyglet", "moderngl", "imgui-bundle", "PyGLM", "pillow", "platformdirs", "tomlkit")
_EXTRAS = {
    "cuda-bindings": "whitecap[cuda]",
    "cuda-core": "whitecap[cuda]",
    "imageio-ffmpeg": "whitecap[video]",
    "nvtx": "whitecap[profile]",
}


@topic("Program")
def _program() -> Iterator[Finding]:
    from .. import _native

    yield Finding("whitecap", f"{_native.__version__}, {Path(__file__).parent.parent}")
    yield Finding("Python", f"{platform.python_version()}, {sys.executable}")
    yield Finding("system", f"{platform.platform()}, {platform.machine()}")
    targets = _native.cpu_targets()
    yield Finding(
        "processor", f"{', '.join(targets)}; {_native.thread_count()} of {counted(os.cpu_count() or 1, 'thread')} used"
    )


@topic("Packages")
def _packages() -> Iterator[Finding]:
    for name in _NEEDED:
        try:
            yield Finding(name, version(name))
        except PackageNotFoundError:
            yield Finding(name, "missing", "problem", f"pip install {name}")
    for name, extra in _EXTRAS.items():
        try:
            yield Finding(name, version(name))
        except PackageNotFoundError:
            yield Finding(name, "not installed", "note", f"pip install '{extra}'")


@topic("Capture and replay")
def _capture() -> Iterator[Finding]:
    yield _host_compiler()
    yield _replay()


def _host_compiler() -> Finding:
    from ..capture.cpu_compile import find_compiler

    compiler = find_compiler()
    if compiler is None:
        return Finding(
            "C++ compiler", "none", "note", "the built-in scenes work without; for others: apt-get install g++"
        )
    return Finding("C++ compiler", compiler)


def _replay() -> Finding:
    import contextlib
    import io

    from .scene import Grid
    from .smoke import FRAMES, smoke

    try:
        with contextlib.redirect_stdout(io.StringIO()):
            smoke(Grid(32, 32))
    except Exception as error:
        return Finding("smoke check", one_line(error), "problem", "run whitecap --smoke --verbose and report it")
    return Finding("smoke check", f"{FRAMES} frames captured, saved, loaded, replayed; they agree with float64")


@topic("CUDA")
def _cuda() -> Iterator[Finding]:
    yield _nvrtc()
    try:
        from ..capture.cuda_device import cuda_devices

        devices = cuda_devices()
    except Exception as error:
        yield Finding(
            "driver", one_line(error), "note", "install NVIDIA's driver to simulate on a GPU; the CPU does it now"
        )
        return
    yield Finding("driver", _driver_version())
    for device in devices:
        memory = device["memory"] / 2**30
        yield Finding(f"GPU {device['ordinal']}", f"{device['name']}, sm_{device['arch']}, {memory:.0f} GiB")


def _driver_version() -> str:
    """The newest CUDA that the driver runs, and the driver's own version where the kernel module tells it."""
    from .. import _native

    cuda = _native.cuda_driver_version()
    found = f"CUDA {cuda // 1000}.{cuda % 1000 // 10}"
    with suppress(OSError):
        module = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
        if match := re.search(r"\b\d{3}\.[\d.]+", module):
            found = f"{match[0]}, {found}"
    return found


def _nvrtc() -> Finding:
    try:
        from cuda.bindings import nvrtc

        error, major, minor = nvrtc.nvrtcVersion()
        if int(error) == 0:
            return Finding("NVRTC", f"{major}.{minor}")
        return Finding("NVRTC", f"does not load ({error})", "note", "pip install 'whitecap[cuda]'")
    except Exception as error:
        return Finding("NVRTC", one_line(error), "note", "pip install 'whitecap[cuda]' to capture for NVIDIA GPUs")


@topic("OpenGL")
def _opengl() -> Iterator[Finding]:
    from .gl_context import GLUnavailable, facts, offscreen_context

    yield from _display()
    try:
        context = offscreen_context()
    except GLUnavailable as error:
        yield Finding("off screen (EGL)", one_line(error), "problem", "see the line above")
        return
    try:
        found = facts(context)
        yield Finding("vendor", found.vendor)
        if found.is_software:
            yield Finding("renderer", found.renderer, "note", _SOFTWARE_REMEDY)
        else:
            yield Finding("renderer", found.renderer)
        yield Finding("version", found.version)
        yield _interop()
    finally:
        context.release()


_SOFTWARE_REMEDY = "install the graphics card's driver (Mesa, or NVIDIA's); the processor draws until then"


def _display() -> Iterator[Finding]:
    """The display, and what draws in a window on it."""
    from .gl_context import facts
    from .settings import Settings
    from .window import MINIMUM_SIZE, Window

    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not display and sys.platform.startswith("linux"):
        remedy = "set DISPLAY to one to have a window; pictures are made off screen until then"
        yield Finding("display", "none", "note", remedy)
        return
    yield Finding("display", display or "the system's")
    try:
        window = Window(Settings(), MINIMUM_SIZE, shown=False)
    except Exception as error:
        yield Finding("window", one_line(error), "problem", "run whitecap --offscreen until a window opens here")
        return
    found = facts(window.context)
    window.close()
    text = f"{found.vendor}, {found.renderer}, {found.version}"
    yield Finding("window", text, "note" if found.is_software else "ok", _SOFTWARE_REMEDY if found.is_software else "")


def _interop() -> Finding:
    """Whether the device that draws is one that simulates."""
    try:
        from ..capture import cuda_interop

        ordinals = cuda_interop.gl_ordinals()
    except Exception as error:
        return Finding("CUDA interop", one_line(error), "note", "see CUDA above; without it there is nothing to share")
    if ordinals:
        return Finding("CUDA interop", f"this OpenGL is drawn by CUDA device {ordinals[0]}")
    remedy = "let the NVIDIA card draw (on a laptop: prime-run whitecap); heights go through the host until then"
    return Finding("CUDA interop", "this OpenGL is not drawn by a CUDA device", "note", remedy)


@topic("Paths")
def _paths() -> Iterator[Finding]:
    from ..capture.cache import default_folder as modules_folder
    from .captures import default_folder
    from .settings import default_path

    captures = default_folder()
    yield _folder("captures", captures, "WHITECAP_CACHE_DIR", f", {counted(len(list(captures.glob('*.wrp'))), 'file')}")
    yield _folder("compiled modules", modules_folder(), "WHITECAP_CACHE_DIR")
    yield _folder("settings", default_path().parent, "WHITECAP_CONFIG_DIR")


def _folder(name: str, path: Path, variable: str, more: str = "") -> Finding:
    if writable_folder(path):
        return Finding(name, f"{path}{more}")
    return Finding(name, f"{path} cannot be written to", "note", f"set {variable} to a folder of yours")
