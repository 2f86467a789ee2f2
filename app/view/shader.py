"""GLSL programs from the package's shader files, with `#include` and errors that name file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

import moderngl

_INCLUDE = re.compile(r'^\s*#include\s+"([\w.]+)"\s*$')
# "0:12(5): error" (Mesa), "0(12) : error" (NVIDIA), "ERROR: 0:12:" (others); drivers do not agree on source numbers,
# so each stage is one text and its lines are mapped back here.
_PLACE = re.compile(r"\b0:(\d+)(?:\(\d+\))?:|\b0\((\d+)\) ?:")


class ShaderError(RuntimeError):
    """A shader does not compile. The text has file, line and the driver's words, one line each."""


@dataclass(frozen=True)
class Source:
    """One stage's text, and the (file, line) that each of its lines comes from."""

    text: str
    places: list[tuple[str, int]]

    def name_places(self, log: str) -> str:
        """The driver's log with lines of the text replaced by files and lines."""

        def place(match: re.Match[str]) -> str:
            index = int(match[1] or match[2]) - 1
            file, line = self.places[min(max(index, 0), len(self.places) - 1)]
            return f"{file}:{line}:"

        return _PLACE.sub(place, log)


def load_program(
    context: moderngl.Context, fragment: str, vertex: str | None = None, defines: Iterable[str] = ()
) -> moderngl.Program:
    """The program of `<vertex>.vert` (by default the same name) and `<fragment>.frag`. Raises ShaderError.

    defines: names that both stages see as defined. Parts of a shader that are not wanted are left out this way and not
    by a branch, because a software rasteriser runs both sides of every branch.
    """
    return make_program(context, expand(f"{vertex or fragment}.vert", defines), expand(f"{fragment}.frag", defines))


def make_program(context: moderngl.Context, vertex: Source, fragment: Source) -> moderngl.Program:
    """Compiles and links two stages. Raises ShaderError."""
    try:
        program = context.program(vertex_shader=vertex.text, fragment_shader=fragment.text)
    except moderngl.Error as error:
        log = str(error)
        source = vertex if "vertex_shader" in log else fragment
        lines = [source.name_places(line) for line in log.splitlines() if re.search(r"error|warning", line, re.I)]
        raise ShaderError("\n".join(lines) or f"{source.places[0][0]}: {log.strip()}") from None
    scene = program.get("Scene", None)
    if isinstance(scene, moderngl.UniformBlock):
        scene.binding = 0
    return program


def draw_plainly(context: moderngl.Context, target: moderngl.Framebuffer, triangle: moderngl.VertexArray) -> None:
    """Fills `target` with a full-screen triangle, without depth, blending or culling. Leaves the target bound."""
    target.use()
    context.disable(moderngl.DEPTH_TEST | moderngl.BLEND | moderngl.CULL_FACE)
    triangle.render(vertices=3)


def read_source(name: str) -> str:
    """The text of one shader file."""
    try:
        return (files("whitecap.shaders") / name).read_text(encoding="utf-8")
    except (FileNotFoundError, ModuleNotFoundError):
        raise ShaderError(f"shaders: {name} is missing from the installation; install Whitecap again") from None


def expand(name: str, defines: Iterable[str] = ()) -> Source:
    """The file with each of its includes in place, once, and `defines` after its #version."""
    seen: set[str] = set()
    lines: list[str] = []
    places: list[tuple[str, int]] = []

    def add(file: str) -> None:
        seen.add(file)
        for number, line in enumerate(read_source(file).splitlines(), start=1):
            match = _INCLUDE.match(line)
            if match is None:
                lines.append(line)
                places.append((file, number))
            elif match[1] not in seen:
                add(match[1])

    add(name)
    # Only comments may stand before #version, and some drivers want it to be the very first line.
    first = next((index for index, line in enumerate(lines) if line.startswith("#version")), 0)
    for define in defines:
        lines.insert(first + 1, f"#define {define}")
        places.insert(first + 1, places[first])
    return Source("\n".join(lines[first:]) + "\n", places[first:])
