"""The Probes panel: scrolling traces, the spectrum of one of them, the total energy, and CSV export."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from imgui_bundle import ImVec2, imgui, implot

from ..errors import UserError
from ..files import write_atomically
from ..lab.probes import MAX_PROBES, Probe, spectrum
from .protocol import PanelHost
from .state import state_of
from .widgets import button, em, note, path_field, row_of

SECONDS = 8.0
"""How much of a trace the plot shows."""

LEAST_REACH = 1e-3
"""World units: smaller waves are drawn small."""

PLOT_FLAGS = implot.Flags_.no_mouse_text.value | implot.Flags_.no_menus.value | implot.Flags_.no_box_select.value


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    lab = app.lab
    if lab is None:
        return
    probes = lab.setup.probes
    width = row_of(2)
    if button("Add a probe", "In the middle; drag it, or click with the Probe tool.", width, len(probes) < MAX_PROBES):
        grid = lab.setup.grid
        probe = Probe(0.5, 0.5 * grid.height / grid.width, lab.setup.free_uid())
        lab.edit(lab.setup.with_probe(probe), "Place a probe")
        lab.tools.selected = ("probe", probe.uid)
    imgui.same_line()
    chosen = lab.tools.selected is not None and lab.tools.selected[0] == "probe"
    if button("Remove", "The selected probe (Del).", width, enabled=chosen):
        lab.tools.delete_selected()
    if probes:
        _traces(app, probes)
        _spectrum(app, probes)
    else:
        note("A probe records the height where it floats. Take the Probe tool above and click on the water.")
    _energy(app)
    _export(app, probes)


def _traces(app: PanelHost, probes: tuple[Probe, ...]) -> None:
    lab = app.lab
    assert lab is not None
    now = app.simulation.seconds
    if implot.begin_plot("##traces", ImVec2(-1.0, em(9)), PLOT_FLAGS | implot.Flags_.no_title.value):
        lines = {}
        for n, probe in enumerate(probes, 1):
            trace = lab.measurements.traces.get(probe.uid)
            if trace is not None and len(trace) > 1:
                times, values = trace.samples()
                recent = int(np.searchsorted(times, now - SECONDS))
                lines[f"P{n}"] = np.ascontiguousarray(times[recent:]), np.ascontiguousarray(values[recent:])
        reach = _reach([values for _, values in lines.values()])
        implot.setup_axes("s", "")
        _limits(max(now - SECONDS, 0.0), max(now, 1.0), -reach, reach)
        for name, (times, values) in lines.items():
            implot.plot_line(name, times, values)
        implot.end_plot()


def _reach(traces: list[np.ndarray]) -> float:
    """A little above the largest value, and enough that still water shows as a straight line."""
    return 1.1 * max((float(np.abs(values).max(initial=0.0)) for values in traces), default=0.0) + LEAST_REACH


def _limits(left: float, right: float, low: float, high: float) -> None:
    """Both axes of the plot that is being set up."""
    always = imgui.Cond_.always.value
    implot.setup_axis_limits(implot.ImAxis_.x1.value, left, right, always)
    implot.setup_axis_limits(implot.ImAxis_.y1.value, low, high, always)


def _spectrum(app: PanelHost, probes: tuple[Probe, ...]) -> None:
    """Of the selected probe, else of the first."""
    lab = app.lab
    assert lab is not None
    selected = lab.tools.selected
    n, probe = next(((n, p) for n, p in enumerate(probes, 1) if selected == ("probe", p.uid)), (1, probes[0]))
    trace = lab.measurements.traces.get(probe.uid)
    if trace is None or len(trace) < 16:
        note("Collecting samples for the spectrum.")
        return
    times, values = trace.samples()
    result = spectrum(times[-1024:], values[-1024:])
    words = f"P{n}: strongest at {result.dominant:.3f} Hz" if result.dominant > 0 else f"P{n}: still"
    imgui.text_unformatted(words)
    if not len(result.frequencies):
        return
    if implot.begin_plot(
        "##spectrum", ImVec2(-1.0, em(7)), PLOT_FLAGS | implot.Flags_.no_title.value | implot.Flags_.no_legend.value
    ):
        implot.setup_axes("Hz", "")
        top = max(4.0, 2.5 * result.dominant)
        _limits(0.0, top, 0.0, _reach([result.amplitudes]))
        count = max(int(np.searchsorted(result.frequencies, top)), 2)
        implot.plot_line("spectrum", result.frequencies[:count].copy(), result.amplitudes[:count].copy())
        if result.dominant > 0:
            implot.plot_inf_lines("strongest", np.array([result.dominant]))
        implot.end_plot()


def _energy(app: PanelHost) -> None:
    lab = app.lab
    assert lab is not None
    trace = lab.measurements.energy
    if len(trace) < 2:
        return
    imgui.text_unformatted(f"Energy {trace.last:.4g} u⁴/s²")
    times, values = trace.samples()
    flags = PLOT_FLAGS | implot.Flags_.no_title.value | implot.Flags_.no_legend.value
    if implot.begin_plot("##energy", ImVec2(-1.0, em(6)), flags):
        start = max(times[-1] - 4 * SECONDS, times[0])
        implot.setup_axes("s", "")
        _limits(start, max(times[-1], start + 1.0), 0.0, _reach([values]))
        recent = int(np.searchsorted(times, start))
        implot.plot_line("energy", np.ascontiguousarray(times[recent:]), np.ascontiguousarray(values[recent:]))
        implot.end_plot()


def _export(app: PanelHost, probes: tuple[Probe, ...]) -> None:
    lab = app.lab
    assert lab is not None
    state = state_of(app)
    state.csv_path, entered = path_field("csv", state.csv_path, "probes.csv")
    if button("Export CSV", "Time, every probe and the energy.", row_of(1), enabled=bool(state.csv_path)) or entered:
        path = Path(state.csv_path).expanduser()
        try:
            write_atomically(path, lab.measurements.csv(probes).encode())
            lab.message = f"saved {path}"
        except UserError as error:
            app.show_error(error)
