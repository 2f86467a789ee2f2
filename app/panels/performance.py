"""The Performance panel: the frame rate, where the time goes, and what the frames run on."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui

from . import plots
from .protocol import PanelHost
from .widgets import GOOD, WARNING, note

FRAMES = 240
LEAST_MS = 0.1


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    timings = app.timings
    frame = timings.frame.summary()
    imgui.text_unformatted(f"{timings.frame_rate:.1f} frames/s")
    imgui.same_line()
    imgui.text_disabled(f"{frame.median:.2f} ms a frame, longest {frame.maximum:.1f}")
    curves = {name: series.values() for name, series in timings.phases.items()}
    top = plots.reach(list(curves.values()), LEAST_MS)
    with plots.plot("times", 10.0, (0.0, float(FRAMES)), (0.0, top), "ms over the last frames", legend=True) as shown:
        for name, values in curves.items() if shown else ():
            plots.line(name.capitalize(), np.arange(len(values)), values)
    _table(app)
    good = not app.backend.remedy
    imgui.text_colored(GOOD if good else WARNING, app.backend.badge)
    if app.backend.remedy:
        note(app.backend.remedy)


def _table(app: PanelHost) -> None:
    flags = imgui.TableFlags_.borders_inner_h.value | imgui.TableFlags_.sizing_stretch_prop.value
    if not imgui.begin_table("phases", 5, flags):
        return
    for head in ("ms", "now", "median", "least", "most"):
        imgui.table_setup_column(head)
    imgui.table_headers_row()
    for name, series in app.timings.phases.items():
        summary = series.summary()
        imgui.table_next_row()
        for cell in (name, *(f"{v:.3f}" for v in (series.last, summary.median, summary.minimum, summary.maximum))):
            imgui.table_next_column()
            imgui.text_unformatted(cell)
    imgui.end_table()
