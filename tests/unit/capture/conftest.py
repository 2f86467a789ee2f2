"""Shared pieces of the toolkit's tests: a cache folder of their own, and kernels made from source text."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

_numbers = itertools.count()


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled modules go to a folder that goes away, not to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WHITECAP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def module_from(tmp_path: Path) -> Callable[[str], ModuleType]:
    """Imports a Python module from its text (kernels need a file to be read from)."""

    def load(text: str) -> ModuleType:
        name = f"kernels_of_test_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load
