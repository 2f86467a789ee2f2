"""Everything about a scene that a person can edit, undo and save, as one immutable value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..scene import Grid
from .probes import Probe
from .sources import Source
from .walls import Boundaries, Shape

Item = TypeVar("Item", Source, Probe)

LOWEST_TIME_SCALE = 0.1
HIGHEST_TIME_SCALE = 4.0


@dataclass(frozen=True)
class Setup:
    """One state of the laboratory. Edits make another one; both sides of an edit are kept for undo.

    scene: name of the scene ("wave", "tank"). parameters: values of the scene's declared parameters by name.
    """

    scene: str = "wave"
    grid: Grid = field(default_factory=Grid)
    time_scale: float = 1.0
    parameters: Mapping[str, float] = field(default_factory=dict)
    boundaries: Boundaries = field(default_factory=Boundaries)
    walls: tuple[Shape, ...] = ()
    sources: tuple[Source, ...] = ()
    probes: tuple[Probe, ...] = ()

    def with_(self, **changes: Any) -> Setup:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def with_grid(self, grid: Grid) -> Setup:
        """A copy on another grid. What would float outside of a shorter basin comes to its near edge."""
        deepest = grid.height / grid.width
        sources = tuple(replace(s, y=min(s.y, deepest), y2=min(s.y2, deepest)) for s in self.sources)
        probes = tuple(replace(p, y=min(p.y, deepest)) for p in self.probes)
        return replace(self, grid=grid, sources=sources, probes=probes)

    def with_parameter(self, name: str, value: float) -> Setup:
        """A copy with one parameter changed."""
        return replace(self, parameters={**self.parameters, name: value})

    def with_source(self, source: Source) -> Setup:
        """A copy with the source of the same uid replaced, or added."""
        return replace(self, sources=_placed(self.sources, source))

    def without_source(self, uid: int) -> Setup:
        """A copy without that source."""
        return replace(self, sources=tuple(s for s in self.sources if s.uid != uid))

    def with_probe(self, probe: Probe) -> Setup:
        """A copy with the probe of the same uid replaced, or added."""
        return replace(self, probes=_placed(self.probes, probe))

    def without_probe(self, uid: int) -> Setup:
        """A copy without that probe."""
        return replace(self, probes=tuple(p for p in self.probes if p.uid != uid))

    def free_uid(self) -> int:
        """A uid that no source or probe has."""
        uids = [source.uid for source in self.sources] + [probe.uid for probe in self.probes]
        return 1 + max(uids, default=0)


def _placed(items: tuple[Item, ...], item: Item) -> tuple[Item, ...]:
    if any(other.uid == item.uid for other in items):
        return tuple(item if other.uid == item.uid else other for other in items)
    return items + (item,)  # noqa: RUF005  (the type checker follows this form)


def numbered(setup: Setup) -> Setup:
    """A copy in which every source and probe has a uid of its own, in order."""
    sources = tuple(replace(source, uid=n) for n, source in enumerate(setup.sources, 1))
    probes = tuple(replace(probe, uid=n) for n, probe in enumerate(setup.probes, 1 + len(sources)))
    return replace(setup, sources=sources, probes=probes)
