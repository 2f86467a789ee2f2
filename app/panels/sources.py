"""The Sources panel: the list of sources, and what the selected one, or the next one placed, is like."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from imgui_bundle import imgui

from ..lab.sources import MAX_SOURCES, SIGNALS, SOURCE_KINDS, Source
from .protocol import PanelHost
from .widgets import Edit, button, choice, note, row_of, slider, switch

KIND_HELP = "Point: circles. Line: a straight front. Moving: to and fro between two places. Rain: drops in a rectangle."


@dataclass
class Changes:
    """What the controls of one source did in a frame.

    values: new values by field. title: what the control is called. slid: the field of a slider, whose edits in a row
    are one; empty for a choice. done: a drag or typing has ended.
    """

    values: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    slid: str = ""
    done: bool = False

    def choose(self, title: str, field: str, value: Any) -> None:
        """A choice was made."""
        self.values[field], self.title = value, title

    def slide(self, title: str, field: str, edit: Edit) -> None:
        """A slider was drawn."""
        if edit.changed:
            self.values[field], self.title, self.slid = edit.value, title, field
        self.done = self.done or edit.done


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    lab = app.lab
    if lab is None:
        return
    sources, tools = lab.setup.sources, lab.tools
    if not sources:
        note("None yet. Take the Source tool above and click on the water; drag to draw out a line or a way.")
    for n, source in enumerate(sources, 1):
        imgui.push_id(source.uid)
        on = switch("##on", source.enabled, "On or off.")
        if on is not None:
            lab.edit(lab.setup.with_source(replace(source, enabled=on)), "Switch a source")
        imgui.same_line()
        words = f"S{n}  {source.kind}, {source.frequency:.3g} {'drops/s' if source.kind == 'rain' else 'Hz'}"
        chosen = tools.selected == ("source", source.uid)
        if imgui.selectable(words, chosen)[0]:
            tools.selected = None if chosen else ("source", source.uid)
        imgui.pop_id()
    selected = next((s for s in sources if tools.selected == ("source", s.uid)), None)
    imgui.separator_text("Selected" if selected else "Next to place")
    changes = _controls(app, selected or tools.source, selected is not None)
    if selected is None:
        tools.source = replace(tools.source, **changes.values)
    else:
        _edit(app, selected, changes)
    if selected is None:
        full = len(sources) >= MAX_SOURCES
        if button(
            "Place at the centre", "The keyboard's way: Enter, with the Source tool.", row_of(1), enabled=not full
        ):
            place_at_centre(app)
        return
    width = row_of(3)
    if button("Fire", "Starts its pulse, or its phase, again.", width):
        lab.link.drive.fire(selected.uid)
    imgui.same_line()
    if button("Copy", "Another one like it, beside it.", width, enabled=len(sources) < MAX_SOURCES):
        copy = replace(
            selected, x=min(selected.x + 0.05, 1.0), x2=min(selected.x2 + 0.05, 1.0), uid=lab.setup.free_uid()
        )
        lab.edit(lab.setup.with_source(copy), "Copy a source")
        tools.selected = ("source", copy.uid)
    imgui.same_line()
    if button("Remove", "Takes it away (Del).", width):
        tools.delete_selected()


def _edit(app: PanelHost, source: Source, changes: Changes) -> None:
    """Each choice and each slider's drag is an edit of its own; the one that a drag ends with still belongs to it."""
    lab = app.lab
    assert lab is not None
    if changes.values:
        merge = ("source", source.uid, changes.slid) if changes.slid else None
        edited = replace(source, **changes.values)
        lab.edit(lab.setup.with_source(edited), f"Source {changes.title.lower()}", merge)
    if changes.done:
        lab.seal()


def place_at_centre(app: PanelHost) -> None:
    """Adds a source like the next one to place in the middle of the basin."""
    lab = app.lab
    assert lab is not None
    grid = lab.setup.grid
    y = 0.5 * grid.height / grid.width
    far = 0.25 if lab.tools.source.kind != "point" else 0.0
    source = replace(lab.tools.source, x=0.5 - far, y=y, x2=0.5 + far, y2=y, uid=lab.setup.free_uid())
    if lab.edit(lab.setup.with_source(source), "Place a source"):
        lab.tools.selected = ("source", source.uid)


def _controls(app: PanelHost, source: Source, placed: bool) -> Changes:
    """The sliders and choices of one source, and what they did."""
    changes = Changes()
    kind = choice("Kind", source.kind, SOURCE_KINDS, KIND_HELP)
    if kind is not None:
        changes.choose("Kind", "kind", kind)
        if placed and kind != "point" and (source.x2, source.y2) == (source.x, source.y):
            changes.values["x2"] = min(source.x + 0.25, 1.0) if source.x < 0.75 else source.x - 0.25

    def number(
        name: str, field: str, low: float, high: float, default: float, unit: str, help: str, log: bool = False
    ) -> None:
        edit = slider(name, getattr(source, field), low, high, default=default, unit=unit, help=help, log=log)
        changes.slide(name, field, edit)

    if source.kind == "rain":
        number("Drops", "frequency", 0.1, 60.0, 3.0, "1/s", "Drops a second, at random.", log=True)
        number("Size", "amplitude", 0.0, 1.0, 0.1, "u", "Depth of the dent that a drop makes.")
    else:
        number(
            "Frequency",
            "frequency",
            0.1,
            12.0,
            3.0,
            "Hz",
            "Oscillations a simulated second." + _wavelength(app, source),
            True,
        )
        number("Amplitude", "amplitude", 0.0, 1.0, 0.1, "u", "About the height of the wave beside the source.")
        number("Phase", "phase", -180.0, 180.0, 0.0, "°", "Lead over a source with phase 0.")
        signal = choice("Signal", source.signal, SIGNALS, "Continuous, or pulses of a few oscillations.")
        if signal is not None:
            changes.choose("Signal", "signal", signal)
        if source.signal == "pulse":
            number("Length", "cycles", 0.5, 20.0, 2.0, "cycles", "Oscillations in a pulse.")
            number("Every", "every", 0.0, 20.0, 0.0, "s", "Time between pulses; 0 is one pulse only.")
        if source.kind == "moving":
            number("Speed", "speed", 0.0, 20.0, 3.0, "u/s", "How fast it goes to and fro." + _mach(app, source))
    number("Radius", "radius", 0.005, 0.1, 0.02, "", "Reach of the source, of the basin's width.", log=True)
    return changes


def _wave_speed(app: PanelHost) -> float:
    return math.sqrt(max(app.simulation.values.get("k_speed", 0.0), 0.0))


def _wavelength(app: PanelHost, source: Source) -> str:
    length = _wave_speed(app) / max(source.frequency, 1e-6)
    return f" The wave is {length:.3g} u long, {length / app.simulation.grid.cell:.3g} cells."


def _mach(app: PanelHost, source: Source) -> str:
    return f" {source.speed / max(_wave_speed(app), 1e-6):.2f} of the wave speed."
