"""Contexts: facts about them, and one clear line when there is none."""

from __future__ import annotations

import ctypes.util
import os
import shutil

import moderngl
import pytest
from whitecap.app.gl_context import (
    DEVICE_VARIABLE,
    GLUnavailable,
    facts,
    offscreen_context,
    spare_full_disk,
    window_context,
)


def refused(call, *arguments) -> str:
    with pytest.raises(GLUnavailable) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_facts_name_the_renderer(context: moderngl.Context) -> None:
    found = facts(context)
    assert found.version_code >= 330
    assert found.vendor
    assert found.renderer
    assert found.max_texture >= 1024
    assert found.is_software == any(word in found.renderer.lower() for word in ("llvmpipe", "softpipe", "swrast"))


def test_a_device_that_is_not_there_is_named() -> None:
    message = refused(offscreen_context, 99)
    assert "EGL device 99" in message
    assert DEVICE_VARIABLE in message


def test_devices_count_from_zero() -> None:
    assert "-1" in refused(offscreen_context, -1)


def test_the_environment_chooses_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, "99")
    assert "EGL device 99" in refused(offscreen_context)
    monkeypatch.setenv(DEVICE_VARIABLE, "first")
    assert "'first' is no device index" in refused(offscreen_context)


@pytest.mark.parametrize(
    ("missing", "call", "package"),
    [
        ("EGL", offscreen_context, "libegl1"),
        ("GL", offscreen_context, "libgl1"),
        ("GL", window_context, "libgl1"),
        ("X11", window_context, "libx11-6"),
    ],
)
def test_a_missing_library_is_named_with_its_package(monkeypatch, missing: str, call, package: str) -> None:
    find = ctypes.util.find_library
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None if name == missing else find(name))
    message = refused(call)
    assert f"lib{missing} not found" in message
    assert f"apt-get install {package}" in message


def test_an_old_opengl_is_refused_with_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Old:
        version_code = 210

        def release(self) -> None:
            pass

    monkeypatch.setattr(moderngl, "create_context", lambda **_: Old())
    message = refused(offscreen_context)
    assert "found version 2.1, 3.3 is needed" in message


def test_a_driver_that_fails_is_quoted_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("eglInitialize failed (0x3001)\nand more")

    monkeypatch.setattr(moderngl, "create_context", fail)
    assert "eglInitialize failed (0x3001)" in refused(offscreen_context)
    assert "eglInitialize failed (0x3001)" in refused(window_context)


@pytest.mark.parametrize(("free", "disabled"), [(4096, "true"), (1 << 40, None)])
def test_a_full_disk_gets_no_shader_cache(free: int, disabled: str | None, tmp_path, monkeypatch) -> None:
    asked = []

    def disk_usage(folder):
        asked.append(folder)
        return shutil._ntuple_diskusage(1 << 41, (1 << 41) - free, free)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not" / "there"))
    monkeypatch.delenv("MESA_SHADER_CACHE_DIR", raising=False)
    monkeypatch.setenv("MESA_SHADER_CACHE_DISABLE", "")  # so that it is as it was afterwards
    monkeypatch.delenv("MESA_SHADER_CACHE_DISABLE")
    monkeypatch.setattr(shutil, "disk_usage", disk_usage)
    spare_full_disk()
    assert asked == [tmp_path]
    assert os.environ.get("MESA_SHADER_CACHE_DISABLE") == disabled


def test_what_a_person_set_for_the_shader_cache_stays(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("MESA_SHADER_CACHE_DISABLE", "false")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    spare_full_disk()
    assert os.environ["MESA_SHADER_CACHE_DISABLE"] == "false"
