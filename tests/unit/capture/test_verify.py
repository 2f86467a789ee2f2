"""`config.verify`: an access outside an array becomes an error that shows its line, and touches no foreign memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import whitecap.capture as wp

HEAD = """\
import whitecap.capture as wp

@wp.struct
class S:
    data: wp.array(dtype=float)

@wp.func
def get(x: wp.array2d(dtype=float), i: int, j: int):
    return x[i, j]

@wp.kernel
def k(a: wp.array(dtype=float), m: wp.array2d(dtype=float), s: S, n: int):
    i = wp.tid()
"""


@pytest.fixture(autouse=True)
def _verify() -> Iterator[None]:
    wp.config.verify = True
    yield
    wp.config.verify = False


def run(module: ModuleType, n: int) -> wp.array:
    a = wp.zeros(4)
    guards = wp.full(64, 7.0)  # what lies behind doesn't matter: nothing may be written outside `a`
    wp.launch(module.k, 4, inputs=[a, wp.zeros((3, 5)), module.S(data=wp.zeros(2)), n])
    assert (guards.numpy() == 7).all()
    return a


# (statement, n that goes outside, marked text, words of the problem)
OUTSIDE = [
    ("a[i + n] = 1.0", 1, "a[i + n]", "index 4 of dimension 0, whose extent is 4"),
    ("a[i - n] = 1.0", 1, "a[i - n]", "index -1 of dimension 0, whose extent is 4"),
    ("a[0] = a[i * n]", 3, "a[i * n]", "dimension 0, whose extent is 4"),
    ("a[0] = m[2, n]", 5, "m[2, n]", "index 5 of dimension 1, whose extent is 5"),
    ("a[0] = get(m, n, 0)", 3, "x[i, j]", "index 3 of dimension 0, whose extent is 3"),
    ("a[0] = s.data[n]", 2, "s.data[n]", "index 2 of dimension 0, whose extent is 2"),
    ("wp.atomic_add(a, n, 1.0)", -5, "wp.atomic_add(a, n, 1.0)", "index -5 of dimension 0"),
    ("a[n] += 1.0", 9, "a[n] += 1.0", "index 9 of dimension 0"),
]


@pytest.mark.parametrize(("statement", "n", "marked", "problem"), OUTSIDE)
def test_access_outside_is_shown_at_its_line(
    module_from: Callable[[str], ModuleType], statement: str, n: int, marked: str, problem: str
) -> None:
    module = module_from(f"{HEAD}    {statement}\n")
    with pytest.raises(wp.KernelError) as caught:
        run(module, n)
    where = caught.value.where
    assert where is not None
    assert where.text[where.column : where.end_column] == marked
    assert problem in caught.value.problem
    run(module, 0 if "m[2" not in statement else 4)  # the next launch starts clean


def test_correct_kernels_compute_the_same(module_from: Callable[[str], ModuleType]) -> None:
    text = f"{HEAD}    a[i] = float(i) + get(m, i - i, 4)\n"
    checked = run(module_from(text), 0).numpy().tolist()
    wp.config.verify = False
    assert checked == run(module_from(text), 0).numpy().tolist() == [0, 1, 2, 3]


def test_replays_are_checked_and_files_are_not_written(
    module_from: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    module = module_from(f"{HEAD}    a[i + int(m[0, 0])] = 1.0\n")
    a, m = wp.zeros(4), wp.zeros((1, 1))
    with wp.ScopedCapture() as capture:
        wp.launch(module.k, 4, inputs=[a, m, module.S(data=a), 0])
    assert capture.graph is not None
    capture.graph.launch()
    m.fill_(3.0)
    with pytest.raises(wp.KernelError, match=r"index [456] of dimension 0"):
        capture.graph.launch()
    with pytest.raises(wp.CaptureError, match=r"config\.verify; switch it off"):
        wp.capture_save(capture.graph, tmp_path / "checked")


def test_the_option_is_part_of_the_hash(module_from: Callable[[str], ModuleType]) -> None:
    module = module_from(f"{HEAD}    a[i] = 1.0\n").k.module
    checked = module.text()
    wp.config.verify = False
    assert module.text().hash != checked.hash
    assert "checked" not in module.text().source
