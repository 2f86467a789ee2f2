"""A module of hand-written kernels for the tests of the extension, compiled once a session."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FLAGS = ["-std=c++17", "-O2", "-fPIC", "-shared", "-nostdlib", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti"]


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler to build the test kernels with")
    library = tmp_path_factory.mktemp("kernels") / "kernels.so"
    source = Path(__file__).with_name("kernels.cpp")
    subprocess.run([compiler, *FLAGS, str(source), "-o", str(library)], check=True)
    return library
