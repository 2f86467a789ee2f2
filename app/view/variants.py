"""Versions of one pass's program with different parts left out, compiled when first needed."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl

from .shader import load_program


class Variants:
    """Programs of `<vertex or name>.vert` and `<name>.frag` by the names defined, each with an empty vertex array."""

    def __init__(self, context: moderngl.Context, name: str, vertex: str | None = None) -> None:
        self._context = context
        self._name = name
        self._vertex = vertex
        self._arrays: dict[frozenset[str], moderngl.VertexArray] = {}

    def array(self, flags: Mapping[str, bool]) -> moderngl.VertexArray:
        """The vertex array whose program has those names defined that map to True."""
        defines = frozenset(name for name, wanted in flags.items() if wanted)
        if defines not in self._arrays:
            program = load_program(self._context, self._name, self._vertex, sorted(defines))
            self._arrays[defines] = self._context.vertex_array(program, [])
        return self._arrays[defines]

    def release(self) -> None:
        for array in self._arrays.values():
            program = array.program
            array.release()
            program.release()
        self._arrays.clear()


def bind_textures(program: moderngl.Program, **textures: moderngl.Texture) -> None:
    """Binds each texture to a unit of its own and tells the program's sampler of that name, where it has one."""
    for unit, (name, texture) in enumerate(textures.items()):
        if name in program:
            texture.use(unit)
            program[name] = unit
