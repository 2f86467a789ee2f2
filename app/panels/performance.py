"""The Performance panel: the frame rate, where the time goes, and what the frames run on."""

from __future__ import annotations

import numpy as np
from imgui_bundle import ImVec2, imgui, implot

from .protocol import PanelHost
from .widgets import GOOD, WARNING, em, note


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    timings = app.timings
    frame = timings.frame.summary()
    imgui.text_unformatted(
        f"{timings.frame_rate:.1f} frames/s, {frame.median:.2f} ms a frame (longest {frame.maximum:.1f})"
    )
    flags = implot.Flags_.no_title.value | implot.Flags_.no_mouse_text.value | implot.Flags_.no_menus.value
    if implot.begin_plot("##times", ImVec2(-1.0, em(10)), flags):
        implot.setup_axes("frame", "ms", implot.AxisFlags_.no_tick_labels.value, implot.AxisFlags_.auto_fit.value)
        implot.setup_axis_limits(implot.ImAxis_.x1.value, 0.0, 240.0, imgui.Cond_.always.value)
        for name, series in timings.phases.items():
            values = series.values().astype(np.float64)
            if len(values) > 1:
                implot.plot_line(name.capitalize(), np.arange(len(values), dtype=np.float64), values)
        implot.end_plot()
    _table(app)
    good = not app.backend.remedy
    imgui.text_colored(GOOD if good else WARNING, app.backend.badge)
    if app.backend.remedy:
        note(app.backend.remedy)


def _table(app: PanelHost) -> None:
    flags = imgui.TableFlags_.borders_inner_h.value | imgui.TableFlags_.sizing_stretch_same.value
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
