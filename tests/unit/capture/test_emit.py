"""The emitted text: stable, free of line numbers, readable by both compilers, the same as what is checked in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import whitecap.capture as wp
from whitecap.capture import builtins, cpu_compile
from whitecap.capture.cpp import literal
from whitecap.capture.module import file_module

from . import language_kernels, wave_kernels

ROOT = Path(__file__).parents[3]

KERNEL = """\
import whitecap.capture as wp

SCALE = 2.0

@wp.kernel
def k(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] * SCALE
"""


def test_hash_ignores_lines_comments_and_layout(module_from: Callable[[str], ModuleType]) -> None:
    moved = KERNEL.replace("\nSCALE", "\n\n# a remark\nSCALE").replace("    i = wp", '    """Doubles."""\n    i  =  wp')
    first, second = module_from(KERNEL).k, module_from(moved).k
    assert first.base_symbol == second.base_symbol
    assert first.module.text().hash == second.module.text().hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2.0", "SCALE = 2.5"), ("dtype=float", "dtype=wp.float64"), ("* SCALE", "+ SCALE"),
        ("def k", "def other"), ("    i =", "    x = 1\n    i ="),
    ],
)  # fmt: skip
def test_hash_follows_whatever_the_kernel_does(module_from: Callable[[str], ModuleType], old: str, new: str) -> None:
    changed = module_from(KERNEL.replace(old, new))
    kernel = getattr(changed, "k", None) or changed.other
    assert kernel.module.text().hash != module_from(KERNEL).k.module.text().hash


def test_hash_follows_the_options(module_from: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    before = module_from(KERNEL).k.module.text().hash
    monkeypatch.setattr(wp.config, "fuse_fp", False)
    assert module_from(KERNEL).k.module.text().hash != before


def test_text_and_hash_are_the_same_in_another_process() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import wave_kernels as w\nprint(w.solve.base_symbol, w.solve.module.text().hash)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, str(Path(__file__).parent)], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == [wave_kernels.solve.base_symbol, wave_kernels.solve.module.text().hash]


def test_module_names_are_file_names() -> None:
    text = wave_kernels.solve.module.text()
    assert len(text.hash) == 64
    assert set(text.hash) <= set("0123456789abcdef")
    name = text.binary_name("x86_64_v3", ".so")
    assert name.startswith("wc_")
    assert name.endswith(f"{text.hash[:7]}.x86_64_v3.so")
    assert not set(name) & set("/\\: ")


def test_every_entry_of_the_abi_is_there() -> None:
    text = wave_kernels.solve.module.text().source
    for kernel in (wave_kernels.solve, wave_kernels.solve_flat):
        assert f"WC_EXPORT void {kernel.base_symbol}_cpu_forward(" in text
        assert f"WC_EXPORT void {kernel.base_symbol}_cpu_range(" in text
        assert f'extern "C" __global__ void __launch_bounds__(256) {kernel.base_symbol}_cuda_kernel_forward(' in text
    assert f"{wave_kernels.solve.base_symbol}_cuda_grid2d(" in text
    assert f"{wave_kernels.solve_flat.base_symbol}_cuda_grid2d(" not in text


def test_a_kernel_that_does_nothing_in_most_threads_has_an_entry_for_many_rows() -> None:
    text = wave_kernels.displace.module.text().source
    assert f"{wave_kernels.displace.base_symbol}_cuda_bands2d(" in text
    assert f"{wave_kernels.solve.base_symbol}_cuda_bands2d(" not in text


def test_text_needs_no_header_and_names_no_file() -> None:
    for module in (wave_kernels.solve.module, language_kernels.floats.module):
        text = module.text().source
        assert "#include" not in text
        assert "#line" not in text
        assert str(ROOT) not in text


def test_line_directives_lead_back_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    module = wave_kernels.solve.module
    plain = module.text()
    monkeypatch.setattr(wp.config, "line_directives", True)
    text = module.text()
    assert text.hash == plain.hash
    assert text.source == plain.source
    marks = [line for line in text.compiled_source.splitlines() if line.startswith("#line")]
    source = Path(wave_kernels.__file__).read_text().splitlines()
    assert marks
    for mark in marks:
        _, line, file = mark.split(maxsplit=2)
        assert file.strip('"') == wave_kernels.__file__
        assert any(sign in source[int(line) - 1] for sign in ("=", "if", "return", "wp."))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0f"), (-0.5, "-0.5f"), (0.1, "0x1.99999a0000000p-4f"), (1e30, "0x1.93e5940000000p+99f"),
        (float("inf"), "float(wc::float_of_bits(0x7f800000u))"),
        (float("nan"), "float(wc::float_of_bits(0x7fc00000u))"),
    ],
)  # fmt: skip
def test_float_literals_are_exact(value: float, text: str) -> None:
    assert literal(wp.float32, value) == text


@pytest.mark.parametrize(
    ("type", "value", "text"),
    [
        (wp.int32, -(2**31), "(-2147483647 - 1)"), (wp.int64, -(2**63), "(-9223372036854775807LL - 1)"),
        (wp.uint32, 2**32 - 1, "4294967295u"), (wp.uint64, 2**64 - 1, "18446744073709551615ULL"),
        (wp.bool, True, "true"),
        (wp.float64, 0.1, "0x1.999999999999ap-4"), (wp.int8, -5, "wc::int8(-5)"),
    ],
)  # fmt: skip
def test_literals_of_other_types_are_exact(type: wp.StructType, value: float, text: str) -> None:
    assert literal(type, value) == text


@pytest.mark.parametrize("kernel", [wave_kernels.solve, language_kernels.floats], ids=["wave", "language"])
def test_text_compiles_without_warnings(kernel: wp.Kernel, tmp_path: Path) -> None:
    compiler = cpu_compile.find_compiler()
    if compiler is None:
        pytest.skip("no host compiler")
    source = tmp_path / "module.cpp"
    source.write_text(kernel.module.text().source)
    command = [compiler, "-std=c++17", "-Wall", "-Werror", "-O1", "-c", str(source), "-o", str(tmp_path / "module.o")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_kernels_of_one_file_share_a_module_and_closures_have_their_own() -> None:
    assert wave_kernels.solve.module is wave_kernels.displace.module is file_module(wave_kernels.__name__)

    def make(factor: float) -> wp.Kernel:
        @wp.kernel
        def scale(a: wp.array(dtype=float)):
            a[wp.tid()] = a[wp.tid()] * factor

        return scale

    double, triple = make(2.0), make(3.0)
    assert double.module is not triple.module
    a = wp.ones(3)
    wp.launch(double, 3, inputs=[a])
    wp.launch(triple, 3, inputs=[a])
    assert a.numpy().tolist() == [6, 6, 6]


def test_a_file_that_is_loaded_again_leaves_older_kernels_alone(module_from: Callable[[str], ModuleType]) -> None:
    module = module_from(KERNEL)
    older = module.k
    exec(compile(KERNEL, module.__file__, "exec"), module.__dict__)  # type: ignore[arg-type]
    assert module.k is not older
    assert module.k.module is not older.module
    assert module.k.module.text().hash == older.module.text().hash


def test_checked_in_kernels_are_what_is_emitted(tmp_path: Path) -> None:
    scenes = ["whitecap.app.scenes.wave", "whitecap.app.scenes.tank"]
    checked_in = {path.name: path.read_text() for path in (ROOT / "assets" / "kernels").glob("*.cpp")}
    assert builtins.builtin_texts(scenes) == checked_in, "run `make kernels`"


def test_builtins_writes_keeps_and_clears_files(tmp_path: Path) -> None:
    name = wave_kernels.__name__
    stale = tmp_path / "0123456789abcdef.cpp"
    stale.write_text("old")
    (path,) = builtins.write_builtins(tmp_path, [name])
    assert not stale.exists()
    assert path.stem == wave_kernels.solve.module.text().hash[:16]
    before = path.stat().st_mtime_ns
    builtins.write_builtins(tmp_path, [name])
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("name", ["whitecap.capture.digest", "no.such.module"])
def test_builtins_refuses_modules_without_kernels(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert builtins.main(["--out", str(tmp_path), name]) == 1
    message = capsys.readouterr().err
    assert message.startswith("builtins: ")
    assert message.count("\n") == 1
