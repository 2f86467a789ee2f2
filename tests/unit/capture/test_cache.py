"""The folder of compiled modules: found again, never trusted, bounded, shared, and dispensable."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import whitecap.capture as wp
from whitecap import _native
from whitecap.capture import binaries, cpu_compile
from whitecap.capture.cache import DiskCache, default_folder, make_key

KEY = make_key("a", "b")


@wp.kernel
def increment(x: wp.array(dtype=int)):
    x[wp.tid()] = x[wp.tid()] + 1


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and nothing loaded yet."""
    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(binaries, "_loaded", {})
    return tmp_path / "modules"


def run_kernel() -> int:
    x = wp.zeros(1, dtype=int)
    wp.launch(increment, 1, inputs=[x])
    return int(x.numpy()[0])


def no_compiler(*_: object) -> bytes:
    raise AssertionError("the compiler was called")


def test_entry_is_found_again_with_its_content(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    assert cache.get(KEY, ".so") is None
    stored = cache.put(KEY, b"content", ".so")
    assert cache.get(KEY, ".so") == stored
    assert stored.read_bytes() == b"content"
    assert cache.get(make_key("a", "c"), ".so") is None
    assert cache.get(KEY, ".cubin") is None


@pytest.mark.parametrize("damage", [b"", b"conten", b"Content", b"content!"])
def test_damaged_entry_is_deleted_not_used(tmp_path: Path, damage: bytes) -> None:
    cache = DiskCache(tmp_path)
    path = cache.put(KEY, b"content", ".so")
    path.write_bytes(damage)
    assert cache.get(KEY, ".so") is None
    assert not path.exists()


def test_least_recently_used_entries_go_first(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit=350)
    keys = [make_key(str(number)) for number in range(4)]
    for age, key in enumerate(keys[:3]):
        os.utime(cache.put(key, bytes(100), ".so"), (1000 + age, 1000 + age))
    assert cache.get(keys[0], ".so") is not None  # used just now: no longer the oldest
    cache.put(keys[3], bytes(100), ".so")
    assert [cache.get(key, ".so") is not None for key in keys] == [True, False, True, True]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 350


def test_an_entry_larger_than_the_bound_still_serves(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit=10)
    assert cache.put(KEY, bytes(100), ".so").is_file()


def test_no_half_written_file_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = DiskCache(tmp_path / "cache")
    cache.put(KEY, b"older", ".so")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space left"):
            cache._write(cache.folder, KEY, b"newer", ".so")
    assert [path.read_bytes() for path in (tmp_path / "cache").iterdir()] == [b"older"]


def test_folder_that_cannot_be_written_gives_one_warning_and_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(blocked))
    monkeypatch.setattr(binaries, "_loaded", {})
    monkeypatch.setattr(binaries, "_cache", None)
    with caplog.at_level(logging.WARNING):
        assert run_kernel() == 1
        monkeypatch.setattr(binaries, "_loaded", {})
        assert run_kernel() == 1
    assert len(caplog.records) == 1
    message = caplog.records[0].getMessage()
    assert str(blocked) in message
    assert "WHITECAP_CACHE_DIR" in message
    assert "\n" not in message


def test_second_start_needs_no_compiler(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_kernel() == 1
    monkeypatch.setattr(binaries, "_loaded", {})
    monkeypatch.setattr(cpu_compile, "compile_cpu", no_compiler)
    monkeypatch.setattr(subprocess, "run", no_compiler)
    monkeypatch.setattr(subprocess, "Popen", no_compiler)
    assert run_kernel() == 1


def test_broken_library_is_built_again(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_kernel() == 1
    (library,) = fresh.iterdir()
    monkeypatch.setattr(binaries, "_loaded", {})
    os.unlink(library)  # the loaded one stays mapped; the file is another
    library.write_bytes(b"\x7fELF nonsense")
    assert run_kernel() == 1
    (rebuilt,) = fresh.iterdir()
    assert len(rebuilt.read_bytes()) > 1000


@pytest.mark.parametrize("change", ["version", "compiler", "flags", "options"])
def test_anything_that_changes_the_binary_changes_the_key(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    text = increment.module.text()
    key = binaries._cpu_key(text, "x86_64_v3")
    if change == "version":
        monkeypatch.setattr(binaries, "_version_parts", lambda text: ("99", text.hash))
    elif change == "compiler":
        monkeypatch.setattr(cpu_compile, "compiler_identity", lambda _: "another")
    elif change == "flags":
        monkeypatch.setattr(cpu_compile, "FLAGS", cpu_compile.FLAGS + " -g")
    else:
        monkeypatch.setattr(wp.config, "line_directives", True)
    assert binaries._cpu_key(increment.module.text(), "x86_64_v3") != key
    assert binaries._cpu_key(text, "x86_64_v4") != key


def test_no_compiler_says_what_to_install(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fresh))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(wp.CaptureError) as caught:
        run_kernel()
    assert "apt-get install g++" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_compiler_that_fails_is_one_line_with_a_log(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "broken-c++"
    compiler.write_text("#!/bin/sh\necho something is wrong >&2\nexit 3\n")
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(wp.CaptureError, match=r"\(exit 3\)") as caught:
        run_kernel()
    message = str(caught.value)
    assert "\n" not in message
    log = Path(message.split("see ")[1].split(";")[0])
    assert "something is wrong" in log.read_text()


def test_built_in_binary_serves_without_a_compiler(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = increment.module.text()
    target = _native.cpu_targets()[-1]
    folder = tmp_path / "_builtin"
    folder.mkdir()
    content = cpu_compile.compile_cpu(text.source, text.name, target)
    (folder / f"{text.hash[:16]}.{target}.so").write_bytes(content)
    monkeypatch.setattr(binaries, "_built_in_folder", lambda: folder)
    monkeypatch.setattr(cpu_compile, "compile_cpu", no_compiler)
    monkeypatch.setenv("PATH", str(fresh))
    monkeypatch.delenv("CXX", raising=False)
    assert run_kernel() == 1


def test_unknown_cpu_target_is_refused(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "cpu_target", "x86_64_v9")
    with pytest.raises(wp.CaptureError, match="no such CPU target"):
        run_kernel()


def test_two_processes_at_once_build_the_same_entry(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        textwrap.dedent(
            """
            import whitecap.capture as wp

            @wp.kernel
            def increment(x: wp.array(dtype=int)):
                x[wp.tid()] = x[wp.tid()] + 1

            x = wp.zeros(8, dtype=int)
            wp.launch(increment, 8, inputs=[x])
            print(x.numpy().sum())
            """
        )
    )
    environment = {**os.environ, "WHITECAP_CACHE_DIR": str(tmp_path / "cache")}
    jobs = [
        subprocess.Popen([sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [job.communicate(timeout=120)[0].strip() for job in jobs] == ["8", "8"]
    entries = list((tmp_path / "cache" / "modules").iterdir())
    assert all(entry.suffix == ".so" for entry in entries)
    assert len({entry.name.split("-")[0] for entry in entries}) == 1


def test_place_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(tmp_path))
    assert default_folder() == tmp_path / "modules"
    monkeypatch.delenv("WHITECAP_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "whitecap" / "modules"
