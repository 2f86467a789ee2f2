"""Programs: every shader compiles in every version that is used, and a mistake is shown with file and line."""

from __future__ import annotations

import itertools

import moderngl
import pytest
from whitecap.app.view.shader import ShaderError, expand, load_program, make_program

VERSIONS = {
    "water": ("REFLECTION", "REFRACTION", "CAUSTICS", "SMOOTH", "MIPMAPS", "OBSTACLES", "BELOW"),
    "data": ("CONTOURS", "WIREFRAME", "SHADING", "OBSTACLES"),
    "basin": ("CAUSTICS",),
    "derive": ("OBSTACLES",),
}


def chosen(names: tuple[str, ...]) -> list[list[str]]:
    """Nothing, everything, each alone and each left out."""
    alone = [[name] for name in names]
    without = [[other for other in names if other != name] for name in names]
    return [list(key) for key, _ in itertools.groupby(sorted([[], list(names), *alone, *without]))]


@pytest.mark.parametrize(("name", "defines"), [(name, it) for name, names in VERSIONS.items() for it in chosen(names)])
def test_every_version_compiles(context: moderngl.Context, name: str, defines: list[str]) -> None:
    load_program(context, name, "fullscreen" if name == "derive" else None, defines).release()


@pytest.mark.parametrize(("file", "stage"), [("water.frag", 1), ("basin.glsl", 1), ("water.vert", 0)])
def test_a_mistake_is_shown_with_file_and_line(context: moderngl.Context, file: str, stage: int) -> None:
    sources = [expand("water.vert"), expand("water.frag")]
    source = sources[stage]
    index = next(index for index, (name, _) in enumerate(source.places) if name == file)
    index += next(
        offset
        for offset, (name, _) in enumerate(source.places[index:])
        if name == file and "}" in source.text.splitlines()[index + offset]
    )
    lines = source.text.splitlines()
    lines.insert(index + 1, "float mistake = vec3(1.0);")
    places = [*source.places[: index + 1], (file, 4321), *source.places[index + 1 :]]
    sources[stage] = type(source)("\n".join(lines) + "\n", places)
    with pytest.raises(ShaderError) as caught:
        make_program(context, *sources)
    assert f"{file}:4321:" in str(caught.value)
