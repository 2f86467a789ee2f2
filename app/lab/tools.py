"""The tool in hand: brushing walls, placing and dragging sources and probes. Places are in widths of the basin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from .probes import MAX_PROBES, Probe
from .sources import MAX_SOURCES, Source
from .walls import Kind, Stroke

if TYPE_CHECKING:
    from .session import Lab

Tool = Literal["poke", "wall", "erase", "source", "probe"]

TOOLS: tuple[Tool, ...] = ("poke", "wall", "erase", "source", "probe")

GRAB = 0.025
"""Widths of the basin: a press this near to a source's or probe's mark takes hold of it."""


@dataclass(frozen=True)
class Mark:
    """A handle on the water: one end of a source, or a probe.

    end: 0 for (x, y), 1 for (x2, y2). span: what joins the two ends, "line" or "box".
    """

    kind: Literal["source", "probe"]
    uid: int
    end: int
    x: float
    y: float
    selected: bool
    label: str
    span: Literal["line", "box"] = "line"


class Toolbox:
    """Which tool is in hand and what it is doing. Every edit goes through the lab, so all can be undone."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.tool: Tool = "poke"
        self.wall_kind: Kind = "reflecting"
        self.wall_speed = 0.5
        self.wall_width = 0.03
        self.source = Source()  # what the next placed source is like
        self.selected: tuple[str, int] | None = None
        self._drag: Callable[[float, float], None] | None = None
        self._drawn_in: object = None  # the document that the drag began in

    # ---- choosing

    def take(self, tool: str) -> None:
        """Takes a tool in hand; the same one again puts it down."""
        if tool not in TOOLS:
            raise ValueError(f"tool {tool!r}: give one of {', '.join(TOOLS)}")
        self.tool = "poke" if tool == self.tool else tool

    def put_down(self) -> bool:
        """Back to poking; False when that was the tool already and nothing was selected."""
        busy = self.tool != "poke" or self.selected is not None
        self.tool, self.selected = "poke", None
        return busy

    @property
    def brushes(self) -> bool:
        """Whether the tool in hand draws strokes."""
        return self.tool in ("wall", "erase")

    def footprint(self, width: int) -> float:
        """Cells: radius of what the tool touches, for the ring under the cursor."""
        if self.brushes:
            return self.wall_width * width / 2
        if self.tool == "source":
            return max(self.source.radius * width, 1.5)
        if self.tool == "probe":
            return 1.5
        return float(self._lab.setup.parameters.get("radius", 1.0))

    def scale_brush(self, factor: float) -> None:
        """The brush of the tool in hand, larger or smaller."""
        if self.brushes:
            self.wall_width = min(max(self.wall_width * factor, 0.004), 0.3)
        elif self.tool == "source":
            self.source = replace(self.source, radius=min(max(self.source.radius * factor, 0.005), 0.2))
        elif "radius" in self._lab.setup.parameters:
            self._lab.set_parameter("radius", self._lab.setup.parameters["radius"] * factor)

    # ---- marks

    def marks(self) -> list[Mark]:
        """Every handle on the water, in drawing order."""
        marks = []
        for n, source in enumerate(self._lab.setup.sources, 1):
            chosen = self.selected == ("source", source.uid)
            marks.append(Mark("source", source.uid, 0, source.x, source.y, chosen, f"S{n}"))
            if source.kind != "point":
                span: Literal["line", "box"] = "box" if source.kind == "rain" else "line"
                marks.append(Mark("source", source.uid, 1, source.x2, source.y2, chosen, "", span))
        for n, probe in enumerate(self._lab.setup.probes, 1):
            chosen = self.selected == ("probe", probe.uid)
            marks.append(Mark("probe", probe.uid, 0, probe.x, probe.y, chosen, f"P{n}"))
        return marks

    def mark_at(self, x: float, y: float) -> Mark | None:
        """The nearest handle within reach."""
        near = [(math.dist((mark.x, mark.y), (x, y)), n) for n, mark in enumerate(self.marks())]
        if not near or min(near)[0] > GRAB:
            return None
        return self.marks()[min(near)[1]]

    def delete_selected(self) -> bool:
        """Takes away the selected source or probe."""
        if self.selected is None:
            return False
        kind, uid = self.selected
        self.selected = None
        setup = self._lab.setup
        if kind == "source":
            return self._lab.edit(setup.without_source(uid), "Remove a source")
        return self._lab.edit(setup.without_probe(uid), "Remove a probe")

    # ---- the pointer

    def press(self, x: float, y: float) -> bool:
        """True when the tool or an object owns the drag; False leaves the press to the poke."""
        self._drawn_in = self._lab.library.document
        if self.brushes:
            self._begin_stroke(x, y)
            return True
        mark = self.mark_at(x, y)
        if mark is not None:
            self.selected = (mark.kind, mark.uid)
            self._drag = lambda to_x, to_y: self._move(mark, to_x, to_y)
            return True
        if self.tool == "source":
            return self._place_source(x, y)
        if self.tool == "probe":
            return self._place_probe(x, y)
        self.selected = None
        return False

    def drag(self, x: float, y: float) -> None:
        """The pointer moves while the tool owns it. What was drawn goes no further once another document is open."""
        if self._drag is not None and self._drawn_in is self._lab.library.document:
            self._drag(x, y)

    def release(self) -> None:
        """The button comes up."""
        self._drag = None

    def _begin_stroke(self, x: float, y: float) -> None:
        kind: Kind = "water" if self.tool == "erase" else self.wall_kind
        walls = self._lab.setup.walls
        label = "Erase walls" if self.tool == "erase" else "Draw a wall"
        points = [(round(x, 5), round(y, 5))]

        def paint(to_x: float, to_y: float) -> None:
            spot = (round(to_x, 5), round(to_y, 5))
            if spot != points[-1] or len(points) == 1:
                # Points closer than a small part of the brush add nothing but length to the document.
                if len(points) > 1 and math.dist(points[-2], spot) < self.wall_width / 8:
                    points.pop()
                points.append(spot)
            stroke = Stroke(tuple(dict.fromkeys(points)), self.wall_width, kind, self.wall_speed)
            self._lab.edit(self._lab.setup.with_(walls=(*walls, stroke)), label, ("stroke", len(walls)))

        self._drag = paint
        paint(x, y)

    def _place_source(self, x: float, y: float) -> bool:
        setup = self._lab.setup
        if len(setup.sources) >= MAX_SOURCES:
            self._lab.message = f"at most {MAX_SOURCES} sources: remove one first"
            return True
        source = replace(self.source, x=x, y=y, x2=x, y2=y, uid=setup.free_uid())
        if self._lab.edit(setup.with_source(source), "Place a source", ("place", source.uid)):
            self.selected = ("source", source.uid)
            end = 0 if source.kind == "point" else 1  # dragging draws out the other end
            mark = Mark("source", source.uid, end, x, y, True, "")
            self._drag = lambda to_x, to_y: self._move(mark, to_x, to_y, ("place", source.uid))
        return True

    def _place_probe(self, x: float, y: float) -> bool:
        setup = self._lab.setup
        if len(setup.probes) >= MAX_PROBES:
            self._lab.message = f"at most {MAX_PROBES} probes: remove one first"
            return True
        probe = Probe(x, y, setup.free_uid())
        self._lab.edit(setup.with_probe(probe), "Place a probe", ("place", probe.uid))
        self.selected = ("probe", probe.uid)
        mark = Mark("probe", probe.uid, 0, x, y, True, "")
        self._drag = lambda to_x, to_y: self._move(mark, to_x, to_y, ("place", probe.uid))
        return True

    def _move(self, mark: Mark, x: float, y: float, merge: tuple[str, int] | None = None) -> None:
        setup = self._lab.setup
        depth = setup.grid.height / setup.grid.width
        x, y = round(min(max(x, 0.0), 1.0), 5), round(min(max(y, 0.0), depth), 5)
        if mark.kind == "probe":
            self._lab.edit(setup.with_probe(Probe(x, y, mark.uid)), "Move a probe", merge or ("move", mark.uid))
            return
        source = next((s for s in setup.sources if s.uid == mark.uid), None)
        if source is None:
            return
        if mark.end == 1:
            source = replace(source, x2=x, y2=y)
        elif source.kind == "point":
            source = replace(source, x=x, y=y, x2=x, y2=y)
        else:
            source = replace(source, x=x, y=y)
        self._lab.edit(setup.with_source(source), "Move a source", merge or ("move", mark.uid))
