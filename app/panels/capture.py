"""The Capture panel: the recorded operations, regions and modules of what is being replayed, and files of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from imgui_bundle import ImVec2, imgui

from .protocol import PanelHost
from .replace import replace_or_ask
from .state import state_of
from .widgets import button, em, facts, note, path_field, row_of, tooltip

ROWS = 10.5
"""Height of the lists, in text heights."""


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    simulation = app.simulation
    capture = getattr(getattr(simulation, "graph", None), "capture", None)
    if capture is None:
        note("Nothing is captured.")
        return
    rows = _rows_of(app, capture)
    facts(
        [
            ("Launches", str(capture.launch_count)),
            ("Operations", str(len(rows))),
            ("Device", f"{capture.device}" + (f", sm_{capture.target_arch}" if capture.target_arch else "")),
            ("Made by", capture.whitecap_producer or capture.producer or "unknown"),
            *file_facts(getattr(simulation, "path", None)),
        ]
    )
    _buttons(app)
    if imgui.tree_node(f"Operations ({len(rows)})###operations"):
        _operations(app, rows)
        imgui.tree_pop()
    if imgui.tree_node(f"Regions ({len(capture.regions)})###regions"):
        _regions(capture)
        imgui.tree_pop()
    if imgui.tree_node(f"Modules ({len(capture.modules)})###modules"):
        _modules(capture)
        imgui.tree_pop()


def _rows_of(app: PanelHost, capture: Any) -> list[tuple[str, str, str]]:
    """The operations as text, made once for each capture: there may be thousands."""
    state = state_of(app)
    if state.capture is not capture:
        state.capture = capture
        state.operations = operation_rows(capture.operations, region_names(capture.bindings))
        state.operation = None
    return state.operations


def file_facts(path: Path | None) -> list[tuple[str, str]]:
    """The whole path of the file and its size."""
    if path is None:
        return []
    try:
        size = path.stat().st_size
    except OSError:
        return [("File", f"{path.absolute()} (gone)")]
    return [("File", str(path.absolute())), ("Size", readable_size(size))]


def _buttons(app: PanelHost) -> None:
    state = state_of(app)
    path: Path | None = getattr(app.simulation, "path", None)
    width, there = row_of(2), path is not None and app.gui is not None
    if button("Copy path", "The file's path into the clipboard.", width, there) and path is not None:
        copy_path(app, path)
    imgui.same_line()
    source = app.simulation.scene.file is None
    words = "Records the frame anew from the scene's Python source" + (
        "." if source else ", which a loaded capture has not."
    )
    if button("Capture again", words, width, enabled=source):
        app.perform("recapture")
    state.capture_path, _ = path_field("capture", state.capture_path, "name.wrp")
    if button("Save as", "Writes the capture and its modules there.", width, enabled=bool(state.capture_path)):
        save_capture(app, state.capture_path)
    imgui.same_line()
    if button(
        "Load", "Shows any .wrp that holds a 2-D grid of float heights.", width, enabled=bool(state.capture_path)
    ):
        load_capture(app, state.capture_path)


def copy_path(app: PanelHost, path: Path) -> None:
    """The whole path into the clipboard."""
    if app.gui is not None:
        app.gui.set_clipboard(str(path.absolute()))
        if app.lab is not None:
            app.lab.message = "the path is in the clipboard"


def save_capture(app: PanelHost, text: str) -> None:
    """Saves the running capture; asks before it replaces a file, and failures go to the error dialog."""
    path = Path(text if text.endswith(".wrp") else f"{text}.wrp").expanduser()
    replace_or_ask(app, [path] if path.is_file() else [], lambda: _save_capture(app, text))


def _save_capture(app: PanelHost, text: str) -> None:
    saver = getattr(app, "save_capture", None)
    try:
        if saver is None:
            app.show_error("this build cannot save captures from the panel: use `whitecap export`")
        else:
            saver(Path(text).expanduser())
            if app.lab is not None:
                app.lab.message = f"saved {text}"
    except Exception as error:
        app.show_error(error)


def load_capture(app: PanelHost, text: str) -> None:
    """Opens a capture file; when its height grid is not obvious the question dialog asks."""
    opener = getattr(app, "open_capture", None)
    try:
        if opener is None:
            app.show_error("this build cannot open captures from the panel: start with `whitecap FILE.wrp`")
        else:
            opener(Path(text).expanduser())
    except Exception as error:
        app.show_error(error)


def _operations(app: PanelHost, rows: list[tuple[str, str, str]]) -> None:
    """The list, and under it what the selected line was given."""
    state = state_of(app)
    flags = imgui.TableFlags_.row_bg.value | imgui.TableFlags_.scroll_y.value | imgui.TableFlags_.sizing_fixed_fit.value
    if not imgui.begin_table("operations", 3, flags, ImVec2(0.0, em(ROWS))):
        return
    clipper = imgui.ListClipper()
    clipper.begin(len(rows))
    while clipper.step():
        for n in range(clipper.display_start, clipper.display_end):
            what, where, detail = rows[n]
            imgui.table_next_row()
            imgui.table_next_column()
            if imgui.selectable(f"{n + 1}", state.operation == n, imgui.SelectableFlags_.span_all_columns.value)[0]:
                state.operation = None if state.operation == n else n
            if detail:
                tooltip(detail)
            imgui.table_next_column()
            imgui.text_unformatted(what)
            imgui.table_next_column()
            imgui.text_disabled(where)
    imgui.end_table()
    if state.operation is None:
        note("Select a line to see its arguments.")
    else:
        what, where, detail = rows[state.operation]
        imgui.text_unformatted(f"{state.operation + 1}: {what.strip()}, {where}" if where else what.strip())
        note(detail or "It has no arguments.")


def region_names(bindings: list[dict[str, Any]]) -> dict[int, str]:
    """What the regions with bindings are called: the names of an input and an output of one region stand together."""
    names: dict[int, list[str]] = {}
    for binding in bindings:
        names.setdefault(binding["region"], []).append(binding["name"])
    return {region: ", ".join(found) for region, found in names.items()}


def operation_rows(
    operations: list[dict[str, Any]], names: dict[int, str], depth: int = 0
) -> list[tuple[str, str, str]]:
    """(what, dimensions or size, arguments) of each operation, branches indented."""
    rows = []
    for operation in operations:
        kind, indent = operation["kind"], "  " * depth
        if kind == "launch":
            shape = " x ".join(str(extent) for extent in operation["shape"])
            rows.append((indent + operation["kernel"], shape, _arguments(operation.get("arguments", []), names)))
        else:
            rows.append((indent + kind, readable_size(operation["size"]) if "size" in operation else "", ""))
        for branch in operation.get("branches", []):
            rows += operation_rows(branch, names, depth + 1)
    return rows


def _arguments(arguments: list[dict[str, Any]], names: dict[int, str]) -> str:
    """One line for each argument: the regions it reaches and what is done to them, or its bytes."""
    lines = []
    for n, argument in enumerate(arguments):
        regions = argument.get("regions") or []
        if regions:
            reached = "; ".join(names.get(region, f"region {region}") for region in regions)
            lines.append(f"{n}: {reached}: {argument.get('access', 'unknown').replace('_', ' and ')}")
        else:
            lines.append(f"{n}: {argument.get('size', 0)} bytes" + _value(argument.get("bytes")))
    return "\n".join(lines)


def _value(data: bytes | None) -> str:
    """A four-byte argument is an integer or a float: both are shown, for the reader to choose."""
    if not data or len(data) != 4:
        return ""
    import struct

    whole, real = struct.unpack("<i", data)[0], struct.unpack("<f", data)[0]
    return f", {whole}" if abs(whole) < 1 << 20 else f", {real:.6g}"


def _regions(capture: Any) -> None:
    names = region_names(capture.bindings)
    for region in capture.regions:
        label = names.get(region["id"], "unnamed")
        imgui.bullet_text(f"{region['id']}: {label}, {readable_size(region['size'])}")


def _modules(capture: Any) -> None:
    for module in capture.modules:
        imgui.bullet_text(f"{module['name']} {module['hash'][:12]}")
        targets = [a["target"] for a in capture.alternatives if a["module_hash"] == module["hash"]]
        note(module.get("binary_filename", "") + (f"\nalso for {', '.join(targets)}" if targets else ""))


def readable_size(size: int) -> str:
    """Bytes as a person reads them."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} B"
