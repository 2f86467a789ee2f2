"""Shared stand-ins and screens for the laboratory's tests; caches and settings lie in folders of the run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # fakes.py, reference.py and screens.py, imported by name


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("WHITECAP_CONFIG_DIR", str(tmp_path_factory.getbasetemp() / "config"))


@pytest.fixture
def make_host() -> Callable[..., Any]:
    """Makes a FakeHost of a scene and a grid."""
    from fakes import FakeHost

    return FakeHost


@pytest.fixture
def screen() -> Iterator[Any]:
    from fakes import FakeHost
    from screens import Screen

    made = Screen(FakeHost())
    yield made
    made.gui.release()


@pytest.fixture
def sliders(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[float, float, float, float]]:
    """Where each slider's track was drawn last: left, top, width, height by name."""
    from imgui_bundle import imgui
    from whitecap.app.panels import widgets

    places: dict[str, tuple[float, float, float, float]] = {}
    real = widgets._explain

    def note_place(*args: Any) -> None:
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        places[names[-1]] = (corner.x, corner.y, size.x, size.y)
        real(*args)

    names: list[str] = []
    label = widgets.label

    def note_name(text: str, help: str = "") -> None:
        names.append(text)
        label(text, help)

    monkeypatch.setattr(widgets, "_explain", note_place)
    monkeypatch.setattr(widgets, "label", note_name)
    return places


@pytest.fixture
def only_simulation(sliders: dict[str, tuple[float, float, float, float]]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A screen with the Simulation panel alone in a window."""
    from fakes import FakeHost
    from screens import Screen, alone
    from whitecap.app.panels import simulation

    made = Screen(FakeHost(), alone(simulation.draw))
    yield made, sliders
    made.gui.release()


@pytest.fixture
def selected_source(sliders: dict[str, tuple[float, float, float, float]]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A screen with the Sources panel alone, and one source that is selected."""
    from fakes import FakeHost
    from screens import Screen, alone
    from whitecap.app.lab.sources import Source
    from whitecap.app.panels import sources
    from whitecap.app.scene import Grid

    made = Screen(FakeHost("tank", Grid(64, 64)), alone(sources.draw))
    lab = made.host.lab
    lab.edit(lab.setup.with_source(Source(uid=1)), "Place")
    lab.history.clear()
    lab.tools.selected = ("source", 1)
    made.frames()
    yield made, sliders
    made.gui.release()
