"""The View panel: water or data, the layers of each, and the camera."""

from __future__ import annotations

from imgui_bundle import imgui

from ..view.colormaps import names
from ..view.look import LIMITS, MODES, Look
from .protocol import PanelHost
from .state import state_of
from .transport import command
from .widgets import button, choice, path_field, row_of, slider, switch

LAYERS = {
    "sky": "The sky behind the basin.",
    "reflection": "What the surface mirrors of the sky.",
    "refraction": "The floor seen through the surface.",
    "caustics": "Light that the waves gather on the floor.",
    "sun": "The sun's highlights.",
    "walls": "The basin's sides.",
}


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    look = app.look
    mode = choice("Show", look.mode, MODES, "Water as it would look, or heights as colours (D).")
    if mode is not None:
        look.mode = mode
    if look.mode == "water":
        _water(app)
    else:
        _data(app)
    _number(app, "Exaggeration", "exaggeration", 0.1, 10.0, "x", "Waves drawn higher than they are.", log=True)
    smooth = switch("Multisampling", look.samples > 1, "Smooth edges: every pixel is the mean of several samples.")
    if smooth is not None:
        look.samples = Look().samples if smooth else 0
    dropped = ", ".join(getattr(app.stage.renderer, "degraded", [])) or "nothing"
    quality = switch(
        "Drop layers when slow",
        look.auto_quality,
        f"On a software rasteriser layers are left out to stay fluent. Left out now: {dropped}.",
    )
    if quality is not None:
        look.auto_quality = quality
    _camera(app)


def _number(
    app: PanelHost, name: str, field: str, low: float, high: float, unit: str, help: str, log: bool = False
) -> None:
    """A slider for a number of the look, within what the look allows."""
    look = app.look
    least, greatest = LIMITS.get(field, (low, high))
    default = float(getattr(Look(), field))
    edit = slider(
        name,
        float(getattr(look, field)),
        max(low, least),
        min(high, greatest),
        default=default,
        unit=unit,
        help=help,
        log=log,
    )
    if edit.changed:
        setattr(look, field, edit.value)


def _water(app: PanelHost) -> None:
    look = app.look
    for n, (layer, help) in enumerate(LAYERS.items()):
        if n % 3:
            imgui.same_line(imgui.get_cursor_start_pos().x + (n % 3) * imgui.get_content_region_avail().x / 3)
        changed = switch(layer.capitalize(), getattr(look, layer), help)
        if changed is not None:
            setattr(look, layer, changed)
    _number(
        app,
        "Sun direction",
        "sun_azimuth",
        -180.0,
        180.0,
        "°",
        "Where the sun stands: 0 is the viewer's side, 90 the right.",
    )
    _number(app, "Sun height", "sun_elevation", 5.0, 90.0, "°", "How high the sun stands.")
    _number(app, "Tint", "absorption", 0.0, 4.0, "", "How strongly deep water is coloured.")


def _data(app: PanelHost) -> None:
    look = app.look
    table = choice(
        "Colours",
        look.colormap,
        names(),
        "All but grey suit colour-blind eyes; vik, balance and RdBu centre on zero.",
        words=names(),
    )
    if table is not None:
        look.colormap = table
    automatic = switch("Automatic range", look.auto_range, "The range follows the highest wave.")
    if automatic is not None:
        look.auto_range = automatic
    if not look.auto_range:
        _number(app, "Range", "value_range", 0.001, 10.0, "u", "Colours run from minus this to plus this.", log=True)
    contours = switch("Contours", look.contours, "Lines of equal height (C).")
    if contours is not None:
        look.contours = contours
    if look.contours:
        _number(
            app, "Every", "contour_interval", 0.0, 1.0, "u", "Height between two lines; 0 is chosen from the range."
        )
    wires = switch("Wireframe", look.wireframe, "The lines of the grid (X).")
    if wires is not None:
        look.wireframe = wires
    bar = switch("Colour bar", look.colorbar, "Colours with numbers at the right edge; part of every picture.")
    if bar is not None:
        look.colorbar = bar
    _number(app, "Shading", "shading", 0.0, 1.0, "", "0 shows the table's exact colours, 1 a shaded relief.")


def _camera(app: PanelHost) -> None:
    imgui.separator_text("Camera")
    width = row_of(4)
    for n, (action, text) in enumerate(
        (("view_home", "Home"), ("view_top", "Top"), ("view_side", "Side"), ("frame_all", "All"))
    ):
        if n:
            imgui.same_line()
        command(app, action, text, width)
    width = row_of(2)
    command(app, "copy_pose", "Copy pose", width)
    imgui.same_line()
    command(app, "paste_pose", "Paste pose", width)
    state = state_of(app)
    state.pose_text, entered = path_field("pose", state.pose_text, app.camera_pose())
    if entered and state.pose_text:
        app.set_camera_pose(state.pose_text)
        state.pose_text = ""
    width = row_of(2)
    command(app, "screenshot", "Screenshot", width)
    imgui.same_line()
    command(app, "record", "Record", width)
    if button("All looks to default", "Layers, sun, colours and range as at the first start.", row_of(1)):
        for name, value in Look().to_dict().items():
            setattr(app.look, name, value)
