"""`whitecap inspect`: what a `.wrp` file holds, for a person or as JSON."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from .captures import modules_folder, require_wrp
from .files import require_file


def inspect(options: Namespace) -> int:
    """Reads, checks and prints a file. Runs none of it."""
    report = describe(options.file)
    print(json.dumps(report, indent=2) if options.json else as_text(report))
    return 0


def describe(path: Path) -> dict[str, Any]:
    """The file as plain values. Raises UserError when there is no such capture, NativeError when it is malformed."""
    from .. import _native
    from ..capture.save import wrp_path

    require_wrp(path)
    path = wrp_path(path)
    require_file(path)
    capture = _native.Capture.from_file(str(path))
    folder = modules_folder(path)
    named = {module["binary_filename"] for module in capture.modules}
    return {
        "file": str(path),
        "bytes": path.stat().st_size,
        "device": capture.device,
        "producer": capture.whitecap_producer or f"warp {capture.producer}",
        "launches": capture.launch_count,
        "bindings": capture.bindings,
        "regions": capture.regions,
        "modules": [_module(module, folder) for module in capture.modules],
        "alternatives": [_module(other, folder) for other in capture.alternatives if other["filename"] not in named],
        "operations": [_operation(operation) for operation in capture.operations],
    }


def _module(module: dict[str, Any], folder: Path) -> dict[str, Any]:
    name = module.get("binary_filename") or module.get("filename", "")
    path = folder / name
    return {**module, "file": name, "bytes": path.stat().st_size if path.is_file() else None}


def _operation(operation: dict[str, Any]) -> dict[str, Any]:
    """The operation without the raw bytes of its arguments."""
    plain = dict(operation)
    if "arguments" in plain:
        plain["arguments"] = [
            {name: value for name, value in argument.items() if name != "bytes"} for argument in plain["arguments"]
        ]
    if "branches" in plain:
        plain["branches"] = [[_operation(inner) for inner in branch] for branch in plain["branches"]]
    return {name: value for name, value in plain.items() if not isinstance(value, bytes)}


def as_text(report: dict[str, Any]) -> str:
    """The report as lines for a person; launches in a row that are alike are folded."""
    lines = [
        f"file       {report['file']}, {report['bytes']:,} bytes",
        f"device     {report['device']}",
        f"producer   {report['producer']}",
        f"launches   {report['launches']}",
        "parameters",
    ]
    for binding in report["bindings"]:
        kind = "output" if binding["output"] else "input"
        lines.append(f"  {kind:6}  {binding['name']:<18}{binding['size']:>14,} bytes, region {binding['region']}")
    lines.append("regions")
    for region in report["regions"]:
        lines.append(f"  {region['id']:>6}  {region['size']:>14,} bytes{'' if region['has_data'] else ', no data'}")
    lines.append("modules")
    for module in (*report["modules"], *report["alternatives"]):
        size = f"{module['bytes']:,} bytes" if module["bytes"] is not None else "MISSING"
        lines.append(f"  {module['file']}, {size}")
    lines.append("operations")
    lines.extend(_folded(report["operations"]))
    return "\n".join(lines)


def _folded(operations: list[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    texts = [_line(operation) for operation in operations]
    start = 0
    while start < len(texts):
        end = start
        while end + 1 < len(texts) and texts[end + 1] == texts[start]:
            end += 1
        number = f"{start + 1}" if end == start else f"{start + 1}-{end + 1}"
        lines.append(f"  {number:>8}  {texts[start]}")
        start = end + 1
    return lines


def _line(operation: dict[str, Any]) -> str:
    if operation["kind"] == "launch":
        shape = " x ".join(str(extent) for extent in operation["shape"])
        return f"launch {operation['kernel']} over {shape}, {len(operation['arguments'])} arguments"
    facts = ", ".join(f"{name} {value}" for name, value in operation.items() if name not in ("kind", "branches"))
    return f"{operation['kind']} {facts}".rstrip()
