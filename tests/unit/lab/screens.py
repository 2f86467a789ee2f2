"""Real panels of a stand-in application, and hands that move the mouse and type: shared by the panels' tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fakes import FakeHost
from imgui_bundle import imgui
from whitecap.app.foreign import FileScene, HeightField
from whitecap.app.gui import Gui
from whitecap.app.panels import (
    draw,
)
from whitecap.app.scene import Grid


class Screen:
    """An application of fakes with real panels. Items are found by the rectangle that they were drawn in."""

    def __init__(self, host: FakeHost, panels: Callable[[Any], None] = draw) -> None:
        self.host = host
        self.rectangles: dict[str, tuple[float, float, float, float]] = {}
        self.gui = Gui(None, panels)
        host.gui = self.gui
        self.frames()

    def frames(self, count: int = 2) -> None:
        for _ in range(count):
            self.gui.draw(self.host, 1 / 60, None)  # type: ignore[arg-type]

    def move(self, x: float, y: float) -> None:
        self.gui.move(x, y)
        self.frames(1)

    def press(self, button: str = "left", down: bool = True) -> None:
        self.gui.button(button, down)  # type: ignore[arg-type]
        self.frames(1)

    def click(self, x: float, y: float, button: str = "left") -> None:
        self.move(x, y)
        self.press(button)
        self.press(button, False)
        self.frames(1)

    def type(self, text: str) -> None:
        self.gui.text(text)
        self.frames(1)

    def key(self, name: str, modifiers: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        self.gui.key(name, True, set(modifiers))
        self.frames(1)
        self.gui.key(name, False, set())
        self.frames(1)


def alone(panel: Callable[[Any], None]) -> Callable[[Any], None]:
    """One panel in a window, unfolded and whole."""

    def panels(app: Any) -> None:
        imgui.set_next_window_pos(imgui.ImVec2(0, 0))
        imgui.set_next_window_size(imgui.ImVec2(400, 600))
        imgui.begin("alone")
        panel(app)
        imgui.end()

    return panels


def middle(place: tuple[float, float, float, float], across: float = 0.5) -> tuple[float, float]:
    return place[0] + across * place[2], place[1] + place[3] / 2


def fake_capture() -> Any:
    launch = {
        "kind": "launch",
        "kernel": "wave_solve",
        "shape": [128, 128],
        "size": 16384,
        "arguments": [
            {"size": 56, "bytes": bytes(56), "regions": [1], "access": "read_write"},
            {"size": 4, "bytes": np.float32(0.25).tobytes(), "regions": [], "access": "unknown"},
        ],
    }
    branch = {"kind": "if", "branches": [[launch], [{"kind": "copy", "size": 64}]]}
    return SimpleNamespace(
        operations=[launch] * 17 + [branch],
        launch_count=18,
        device="cuda",
        target_arch=90,
        whitecap_producer="",
        producer="warp",
        bindings=[{"name": "heights", "region": 1, "size": 65536, "output": False}],
        regions=[{"id": 1, "size": 65536}, {"id": 2, "size": 5}],
        modules=[{"name": "wave", "hash": "ab" * 32, "binary_filename": "wc_wave.sm_90.cubin"}],
        alternatives=[{"module_hash": "ab" * 32, "target": "x86_64_v3", "filename": "f", "digest": ""}],
    )


def host_of_a_file() -> FakeHost:
    """It shows a loaded capture of 18 launches on 20 x 12 cells."""
    host = FakeHost("tank", Grid(20, 12, 1))
    host.simulation.scene = FileScene(Path("/captures/theirs.wrp"), HeightField("heights", 20, 12, True), ("heights",))
    host.simulation.graph, host.simulation.path = SimpleNamespace(capture=fake_capture()), host.simulation.scene.file
    host.lab.update()
    return host


def keep_words(monkeypatch: pytest.MonkeyPatch, function: str = "text_unformatted") -> list[str]:
    """What is written from now on by that function of ImGui."""
    said: list[str] = []
    write = getattr(imgui, function)
    monkeypatch.setattr(
        imgui, function, lambda *arguments, **more: (said.append(arguments[-1]), write(*arguments, **more))[1]
    )
    return said


def type_into(screen: Screen, place: tuple[float, float, float, float], text: str) -> None:
    """A value through the menu of the right button."""
    screen.click(*middle(place), button="right")
    screen.frames(3)
    screen.key("A", {"ctrl"})
    screen.type(text)
    screen.key("RETURN")
    screen.frames()


def ctrl_click_and_type(screen: Screen, place: tuple[float, float, float, float], text: str) -> None:
    """A value typed into the slider itself."""
    screen.frames(30)  # else this click may be the second of a double click
    screen.move(*middle(place, 0.5))
    screen.gui.key("LCTRL", True, {"ctrl"})
    screen.frames(1)
    screen.press()
    screen.press(down=False)
    screen.gui.key("LCTRL", False, set())
    screen.frames(1)
    assert screen.gui.typing
    screen.key("A", {"ctrl"})
    screen.type(text)
    screen.key("RETURN")
    screen.frames()
