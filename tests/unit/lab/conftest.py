"""Shared stand-ins for the laboratory's tests; caches and settings lie in folders of the run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # fakes.py and reference.py, imported by name


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("WHITECAP_CONFIG_DIR", str(tmp_path_factory.getbasetemp() / "config"))


@pytest.fixture
def make_host() -> Callable[..., Any]:
    """Makes a FakeHost of a scene and a grid."""
    from fakes import FakeHost

    return FakeHost
