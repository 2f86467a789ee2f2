"""The Probes panel: scrolling traces, the spectrum of one of them, the total energy, and CSV export."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from imgui_bundle import imgui, implot

from ..errors import UserError
from ..files import write_atomically
from ..lab.probes import MAX_PROBES, Probe, Trace, spectrum
from . import plots
from .protocol import PanelHost
from .replace import replace_or_ask
from .state import state_of
from .widgets import button, note, path_field, row_of

SECONDS = 8.0
"""How much of a trace the plot shows; the energy's shows four times as much."""

SPECTRUM_SAMPLES = 1024
LEAST_REACH = 1e-3
"""World units: smaller waves are drawn small."""


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
    _export(app)


def _recent(trace: Trace, start: float) -> tuple[np.ndarray, np.ndarray]:
    times, values = trace.samples()
    first = int(np.searchsorted(times, start))
    return times[first:], values[first:]


def _traces(app: PanelHost, probes: tuple[Probe, ...]) -> None:
    lab = app.lab
    assert lab is not None
    now = app.simulation.seconds
    start = max(now - SECONDS, 0.0)
    traces = lab.measurements.traces
    curves = {f"P{n}": _recent(traces[p.uid], start) for n, p in enumerate(probes, 1) if p.uid in traces}
    reach = plots.reach([values for _, values in curves.values()], LEAST_REACH)
    with plots.plot("traces", 9.5, (start, max(now, 1.0)), (-reach, reach), "s", legend=True) as shown:
        for name, (times, values) in curves.items() if shown else ():
            plots.line(name, times, values)


def _spectrum(app: PanelHost, probes: tuple[Probe, ...]) -> None:
    """Of the selected probe, else of the first."""
    lab = app.lab
    assert lab is not None
    numbered = list(enumerate(probes, 1))
    n, probe = next((pair for pair in numbered if lab.tools.selected == ("probe", pair[1].uid)), numbered[0])
    trace = lab.measurements.traces.get(probe.uid)
    if trace is None or len(trace) < 16:
        note("Collecting samples for the spectrum.")
        return
    times, values = trace.samples()
    result = spectrum(times[-SPECTRUM_SAMPLES:], values[-SPECTRUM_SAMPLES:])
    imgui.text_unformatted(f"P{n}: strongest at {result.dominant:.3f} Hz" if result.dominant > 0 else f"P{n}: still")
    top = max(4.0, 2.5 * result.dominant)
    count = int(np.searchsorted(result.frequencies, top)) + 1
    shape = result.amplitudes[:count]
    with plots.plot("spectrum", 6.5, (0.0, top), (0.0, plots.reach([shape], LEAST_REACH)), "Hz") as shown:
        if shown:
            plots.line("spectrum", result.frequencies[:count], shape)
            if result.dominant > 0:
                implot.plot_inf_lines("strongest", np.array([result.dominant]))


def _energy(app: PanelHost) -> None:
    lab = app.lab
    assert lab is not None
    trace = lab.measurements.energy
    if len(trace) < 2:
        return
    imgui.text_unformatted(f"Energy {trace.last:.4g} u⁴/s²")
    now = app.simulation.seconds
    start = max(now - 4 * SECONDS, 0.0)
    times, values = _recent(trace, start)
    with plots.plot(
        "energy", 7.0, (start, max(now, start + 1.0)), (0.0, plots.reach([values], LEAST_REACH)), "s"
    ) as shown:
        if shown:
            plots.line("energy", times, values)


def _export(app: PanelHost) -> None:
    state = state_of(app)
    state.csv_path, entered = path_field("csv", state.csv_path, "probes.csv")
    if button("Export CSV", "Time, every probe and the energy.", row_of(1), enabled=bool(state.csv_path)) or entered:
        path = Path(state.csv_path).expanduser()
        another = path.is_file() and path.absolute() != state.csv_written  # else it is this session's own export
        replace_or_ask(app, [path] if another else [], lambda: _write_csv(app, path))


def _write_csv(app: PanelHost, path: Path) -> None:
    lab = app.lab
    assert lab is not None
    try:
        write_atomically(path, lab.measurements.csv(lab.setup.probes).encode())
    except UserError as error:
        app.show_error(error)
        return
    state_of(app).csv_written = path.absolute()
    lab.message = f"saved {path}"
