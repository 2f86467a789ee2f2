"""The host compiler: from a module's C++ text to a shared library."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .errors import CaptureError

# -ffp-contract=off and no -ffast-math: the bits follow from the source (fuse.py). Kernels raise and trap nothing.
FLAGS = """
    -std=c++17 -O3 -fPIC -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-exceptions -fno-rtti
    -fno-asynchronous-unwind-tables -fvisibility=hidden -w
"""
SHARED = "-shared -nostdlib"
# What Warp's loader links: large code model, every symbol through the global offset table.
RELOCATABLE = "-c -mcmodel=large -fno-plt"

# 256-bit vectors are the fastest on every processor with AVX-512 that was measured: stencils are bound by loads.
TARGET_FLAGS = {
    "x86_64": ["-march=x86-64"],
    "x86_64_v2": ["-march=x86-64-v2"],
    "x86_64_v3": ["-march=x86-64-v3"],
    "x86_64_v4": ["-march=x86-64-v4", "-mprefer-vector-width=256"],
    "aarch64": ["-march=armv8-a"],
}


def compiler_flags(target: str, relocatable: bool = False) -> list[str]:
    return [*FLAGS.split(), *TARGET_FLAGS[target], *(RELOCATABLE if relocatable else SHARED).split()]


def find_compiler() -> str | None:
    """Path of the host's C++ compiler: $CXX, else the first of c++, g++, clang++."""
    names = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    return next((found for name in names if name and (found := shutil.which(name))), None)


def compiler_identity(compiler: str) -> str:
    """What names this build of the compiler, without starting it: real path, size and time of change."""
    real = Path(compiler).resolve()
    status = real.stat()
    return f"{real}:{status.st_size}:{status.st_mtime_ns}"


def compile_cpu(source: str, name: str, target: str, relocatable: bool = False) -> bytes:
    """The shared library, or an object file for Warp's loader.

    CaptureError when there is no compiler, or when it fails (the text is kept for a report)."""
    compiler = find_compiler()
    if compiler is None:
        raise CaptureError(
            f"compiling module {name} needs a C++ compiler and none was found (looked for $CXX, c++, g++, clang++): "
            "install one, for example with `apt-get install g++`"
        )
    folder = Path(tempfile.mkdtemp(prefix="whitecap-"))
    text, output = folder / "module.cpp", folder / "module"
    text.write_text(source)
    libraries = [] if relocatable else ["-lm"]
    command = [compiler, *compiler_flags(target, relocatable), str(text), "-o", str(output), *libraries]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0:
        (folder / "compiler.log").write_text(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
        raise CaptureError(
            f"{compiler} can't compile module {name} for {target} (exit {result.returncode}): "
            f"see {folder / 'compiler.log'}; a newer compiler (g++ 9, clang 10 or later) may help"
        )
    binary = output.read_bytes()
    shutil.rmtree(folder, ignore_errors=True)
    return binary
