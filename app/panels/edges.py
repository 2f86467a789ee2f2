"""The Boundaries and walls panel: what each edge does, and the walls drawn or imported."""

from __future__ import annotations

from dataclasses import replace

from imgui_bundle import imgui

from ..errors import UserError
from ..lab.stamps import stamp_from_image
from ..lab.walls import EDGES, SIDES
from .protocol import PanelHost
from .state import state_of
from .widgets import button, choice, note, path_field, row_of, slider

EDGE_HELP = (
    "Reflecting: a wall, the wave comes back as it was. Fixed: the surface is held, the wave comes back upside down. "
    "Absorbing: the wave leaves. Periodic: it comes in at the opposite edge."
)


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    lab = app.lab
    if lab is None:
        return
    if lab.setup.scene == "wave":
        note("The first edit here continues in the tank, the scene that has edges, walls and sources.")
    boundaries = lab.setup.boundaries
    for side in SIDES:
        picked = choice(f"{side.capitalize()} edge", getattr(boundaries, side), EDGES, EDGE_HELP)
        if picked is not None:
            changed = boundaries.with_edge(side, picked)  # type: ignore[arg-type]
            lab.edit(lab.setup.with_(boundaries=changed), f"{side.capitalize()} edge")
    if any(getattr(boundaries, side) == "absorbing" for side in SIDES):
        edit = slider(
            "Sponge", boundaries.sponge, 0.02, 0.5, default=0.15, help="Width of absorbing edges, of the basin's width."
        )
        if edit.changed:
            lab.edit(lab.setup.with_(boundaries=replace(boundaries, sponge=edit.value)), "Sponge", "sponge")
        if edit.done:
            lab.seal()
    width = row_of(2)
    if button("All reflecting", "Four walls.", width):
        _all(app, "reflecting")
    imgui.same_line()
    if button("All absorbing", "Open water all around.", width):
        _all(app, "absorbing")
    _walls(app)


def _all(app: PanelHost, edge: str) -> None:
    lab = app.lab
    assert lab is not None
    edges = dict.fromkeys(SIDES, edge)
    lab.edit(lab.setup.with_(boundaries=replace(lab.setup.boundaries, **edges)), f"All edges {edge}")  # type: ignore[arg-type]


def _walls(app: PanelHost) -> None:
    lab = app.lab
    assert lab is not None
    imgui.separator_text("Walls")
    count = len(lab.setup.walls)
    note(f"{count} shape{'s' if count != 1 else ''}. Take the Wall tool above and draw on the water.")
    width = row_of(2)
    if button("Remove the last", "The shape drawn last.", width, enabled=count > 0):
        lab.edit(lab.setup.with_(walls=lab.setup.walls[:-1]), "Remove a wall")
    imgui.same_line()
    if button("Remove all", "Every wall and all slow water.", width, enabled=count > 0):
        lab.edit(lab.setup.with_(walls=()), "Remove all walls")
    state = state_of(app)
    state.picture_path, entered = path_field("picture", state.picture_path, "picture.png: dark becomes wall")
    words = "Stretches a picture over the basin; its dark or opaque part becomes wall."
    named = bool(state.picture_path)
    if button("Import picture", words, row_of(1), enabled=named) or (entered and named):
        _import(app, state.picture_path)


def _import(app: PanelHost, path: str) -> None:
    lab = app.lab
    assert lab is not None
    try:
        kind = lab.tools.wall_kind
        stamp = replace(stamp_from_image(path), kind=kind, speed=lab.tools.wall_speed)
    except UserError as error:
        app.show_error(error)
        return
    lab.edit(lab.setup.with_(walls=(*lab.setup.walls, stamp)), "Import walls")
