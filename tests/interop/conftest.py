"""Interoperability with real NVIDIA Warp, which runs in a process of its own.

WHITECAP_WARP_PYTHON names a Python that has warp-lang 1.19.0; without it the one that runs the tests is tried.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "scripts"
WARP_VERSION = "1.19.0"


@pytest.fixture(scope="session")
def warp_python() -> str:
    """A Python with the Warp release whose format we write."""
    python = os.environ.get("WHITECAP_WARP_PYTHON", "")
    if not python:
        if importlib.util.find_spec("warp") is None:
            pytest.skip(f"Warp isn't installed: pip install warp-lang=={WARP_VERSION}, or set WHITECAP_WARP_PYTHON")
        python = sys.executable
    asked = subprocess.run(
        [python, "-c", "import warp; print(warp.__version__)"], capture_output=True, text=True, check=False
    )
    version = asked.stdout.split()[-1] if asked.stdout.split() else "none"
    if version != WARP_VERSION:
        pytest.skip(f"Warp {WARP_VERSION} is needed, {python} has {version}")
    return python


@pytest.fixture
def run_warp(warp_python: str, tmp_path: Path) -> Callable[..., str]:
    """Runs scripts/<name>.py under Warp with some arguments; returns what it prints."""

    def run(name: str, *arguments: object) -> str:
        command = [warp_python, str(SCRIPTS / f"{name}.py"), *map(str, arguments)]
        environment = {**os.environ, "WARP_CACHE_PATH": str(tmp_path / "warp-cache")}
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=240)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run
