"""Shader files: includes, and compiler messages that lead to the right line of the right file."""

from __future__ import annotations

import pytest
from whitecap.app.view.shader import ShaderError, Source, expand, read_source


def line_of(source: Source, text: str) -> int:
    return 1 + next(index for index, line in enumerate(source.text.splitlines()) if text in line)


def test_includes_stand_in_place_and_only_once() -> None:
    source = expand("water.frag")
    assert "#include" not in source.text
    assert source.text.count("uniform Scene {") == 1
    assert source.text.startswith("#version 330 core\n")


def test_defines_come_right_after_the_version() -> None:
    lines = expand("water.frag", ["SMOOTH", "CAUSTICS"]).text.splitlines()
    assert set(lines[1:3]) == {"#define SMOOTH", "#define CAUSTICS"}


@pytest.mark.parametrize("defines", [[], ["SMOOTH", "CAUSTICS"]])
@pytest.mark.parametrize(
    ("file", "text"), [("water.frag", "float fresnel_at"), ("basin.glsl", "vec3 sunbeam"), ("scene.glsl", "vec4 ring")]
)
@pytest.mark.parametrize("form", ["0:{}(5): error: no", "0({}) : error C1503: no", "ERROR: 0:{}: no"])
def test_messages_of_all_drivers_lead_to_file_and_line(defines: list[str], file: str, text: str, form: str) -> None:
    source = expand("water.frag", defines)
    written = 1 + next(index for index, line in enumerate(read_source(file).splitlines()) if text in line)
    message = source.name_places(form.format(line_of(source, text)))
    assert f"{file}:{written}:" in message


def test_a_line_outside_the_source_does_not_hide_the_message() -> None:
    assert "error: lost" in expand("water.frag").name_places("0:99999(1): error: lost")


def test_a_missing_file_is_said_in_one_line() -> None:
    with pytest.raises(ShaderError, match=r"nothing\.frag is missing") as caught:
        expand("nothing.frag")
    assert "\n" not in str(caught.value)
