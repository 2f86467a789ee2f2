"""The plots of the panels: small, quiet, and without ImPlot's own menus."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from imgui_bundle import ImVec2, imgui, implot

from .widgets import em

_FLAGS = (
    implot.Flags_.no_title.value
    | implot.Flags_.no_mouse_text.value
    | implot.Flags_.no_menus.value
    | implot.Flags_.no_box_select.value
)


@contextmanager
def plot(
    name: str,
    height: float,
    across: tuple[float, float],
    along: tuple[float, float],
    unit: str = "",
    legend: bool = False,
) -> Iterator[bool]:
    """A plot over the panel's width; yields whether anything is to be drawn.

    height: in text heights. across, along: the limits of both axes. unit: shown under the horizontal axis.
    """
    implot.push_style_var(implot.StyleVar_.plot_padding.value, ImVec2(em(0.4), em(0.4)))
    implot.push_style_var(implot.StyleVar_.label_padding.value, ImVec2(em(0.3), em(0.2)))
    implot.push_colormap(implot.Colormap_.pastel.value)
    flags = _FLAGS if legend else _FLAGS | implot.Flags_.no_legend.value
    shown = implot.begin_plot(f"##{name}", ImVec2(-1.0, em(height)), flags)
    try:
        if shown:
            implot.setup_axes(unit, "")
            implot.setup_axis_limits(implot.ImAxis_.x1.value, *across, imgui.Cond_.always.value)
            implot.setup_axis_limits(implot.ImAxis_.y1.value, *along, imgui.Cond_.always.value)
            implot.setup_axis_ticks(implot.ImAxis_.y1.value, round_ticks(*along))
            if legend:  # above the curves, not on them
                outside = implot.LegendFlags_.horizontal.value | implot.LegendFlags_.outside.value
                implot.setup_legend(implot.Location_.north.value, outside)
        yield shown
    finally:
        if shown:
            implot.end_plot()
        implot.pop_colormap()
        implot.pop_style_var(2)


def line(name: str, x: np.ndarray, y: np.ndarray) -> None:
    """A curve through at least two points."""
    if len(x) > 1:
        implot.plot_line(name, np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64))


def round_ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Round numbers between low and high, at most `most` of them: a small plot's numbers must not overlap."""
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (factor * step) < most)
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def reach(values: list[np.ndarray], least: float) -> float:
    """A little above the largest size of all values, and at least `least`: still water is a straight line."""
    return 1.1 * max((float(np.abs(v).max(initial=0.0)) for v in values), default=0.0) + least
