"""The Gallery panel: the presets, each with what there is to notice."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui

from ..lab.keys import PRESET_KEYS
from .protocol import PanelHost
from .transport import command
from .widgets import em, note, row_of, tooltip


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    lab = app.lab
    if lab is None:
        return
    presets = lab.library.presets
    for n, preset in enumerate(presets):
        here = n == lab.library.preset_index
        if imgui.selectable(f"##{preset.name}", here, 0, ImVec2(0.0, em(1.35)))[0]:
            lab.library.open_preset(n)
        tooltip(preset.note)
        imgui.same_line(0.0, 0.0)
        imgui.text_disabled(f"{n + 1}" if n < PRESET_KEYS else " ")
        imgui.same_line(em(2.0))
        imgui.text_unformatted(preset.title)
    width = row_of(2)
    command(app, "preset_previous", "Previous", width)
    imgui.same_line()
    command(app, "preset_next", "Next", width)
    if lab.library.preset_index is not None:
        note(presets[lab.library.preset_index].note)
