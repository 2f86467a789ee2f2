"""What the kernel language refuses: every message shows the line, marks the place, and says what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import whitecap.capture as wp

HEAD = """\
import math
import whitecap.capture as wp

limit = "seven"
table = [1, 2, 3]

@wp.struct
class Pair:
    first: float
    second: int

@wp.struct
class Holder:
    data: wp.array(dtype=float)

@wp.func
def double(x: float):
    return x + x

@wp.func
def nothing(x: float):
    y = x

@wp.kernel
def other(a: wp.array(dtype=float)):
    a[0] = 1.0

@wp.kernel
def k(
    a: wp.array(dtype=float), m: wp.array2d(dtype=int), n: int, x: float, d: wp.float64, flag: wp.bool, p: Pair,
    v: wp.vec2, h: Holder,
):
"""

# (body, marked text, words of the problem, words of the remedy)
BODIES = [
    ("y = x + n", "x + n", "`+` of float32 and int32", "float(...)"),
    ("y = n * 2.0", "n * 2.0", "`*` of int32 and float32", "cast one side"),
    ("y = d + x", "d + x", "`+` of float64 and float32", "wp.float64(...)"),
    ("y = n / 2", "n / 2", "`/` of two integers", "`//`"),
    ("y = x & 1", "x & 1", "`&` of", "int"),
    ("y = x << 1", "x << 1", "`<<` of", "int"),
    ("y = flag + flag", "flag + flag", "`+` of bool", "int(...)"),
    ("y = -flag", "-flag", "`-` of bool", "negate numbers"),
    ("y = ~x", "~x", "`~` of float32", "integers"),
    ("y = n ** n", "n ** n", "`**` of int32", "powers 2, 3 or 4"),
    ("y = v * v", "v * v", "`*` of vec2f", "components"),
    ("y = v + x", "v + x", "`+` of vec2f and float32", "one type"),
    ("y = x @ x", "x @ x", "`@` of float32", "write `*`"),
    ("y = x < n", "x < n", "comparing float32 with int32", "cast"),
    ("y = n is n", "n is n", "`is`", "use == !="),
    ("y = n in m", "n in m", "`in`", "use == !="),
    ("y = p < p", "p < p", "comparing Pair", "compare numbers"),
    ("y = 1.0 if flag else n", "1.0 if flag else n", "float32 and int32", "one type"),
    ("if x:\n        pass", "x", "condition of type float32", "comparison"),
    ("while v:\n        pass", "v", "condition of type vec2f", "comparison"),
    ("y = [1, 2]", "[1, 2]", "a list", "use numbers"),
    ("y = {1: 2}", "{1: 2}", "a dict", "use numbers"),
    ("y = (1, 2)", "(1, 2)", "a tuple", "use numbers"),
    ("y = 'text'", "'text'", "'text' (str)", "int, float or bool"),
    ("y = f'{n}'", "f'{n}'", "an f-string", "use numbers"),
    ("y = lambda: 1", "lambda: 1", "a lambda", "use numbers"),
    ("y = [i for i in range(3)]", "[i for i in range(3)]", "a list comprehension", "use numbers"),
    ("y = (z := 3)", "z := 3", "`:=`", "use numbers"),
    ("y = None", "None", "None", "int, float or bool"),
    ("y = missing", "missing", "`missing` isn't defined", "define it"),
    ("y = limit", "limit", "`limit` is a str", "constants are"),
    ("y = table", "table", "`table` is a list", "constants are"),
    ("y = math", "math", "`math` is a module", "constants are"),
    ("y = z\n    z = 1", "z", "`z` may be read before it has a value", "before this line"),
    ("y = x\n    y = n", "y = n", "`y` is float32 and gets int32", "another name"),
    ("y = 1\n    y = 2.5", "y = 2.5", "`y` is int32 and gets float32", "int(...)"),
    ("y = a", "y = a", "an array in a variable", "parameter itself"),
    ("y = h", "y = h", "a struct that holds arrays in a variable", "parameter itself"),
    ("y = h if flag else h", "h if flag else h", "the two values are Holder", "one type"),
    ("y = a[0, 1]", "a[0, 1]", "2 indices for an array of 1 dimensions", "a[i]"),
    ("y = m[0]", "m[0]", "1 indices for an array of 2 dimensions", "a[i, j]"),
    ("y = a[x]", "x", "an index of type float32", "int(x)"),
    ("y = a[0:2]", "a[0:2]", "a slice", "one integer per dimension"),
    ("y = n[0]", "n[0]", "indexing int32", "index arrays"),
    ("y = v[2]", "v[2]", "index 2 of vec2f", "0 to 1"),
    ("y = v[0, 1]", "v[0, 1]", "2 indices for vec2f", "write 1"),
    ("y = v.z", "v.z", "no component `z`", "x, y"),
    ("y = p.third", "p.third", "no field `third`", "first, second"),
    ("y = a.size", "a.size", "no attribute `size`", "shape[i]"),
    ("y = x.real", "x.real", "no attribute `real`", "structs and vectors"),
    ("y = a.shape", "a.shape", "`shape` by itself", "a.shape[0]"),
    ("y = a.shape[1]", "a.shape[1]", "extent that isn't there", "shape[0]"),
    ("y = a.shape[n]", "a.shape[n]", "extent that isn't there", "shape[0]"),
    ("a[0] = n", "a[0] = n", "the target is float32, this is int32", "float(...)"),
    ("a[0] = d", "a[0] = d", "the target is float32, this is float64", "float(...)"),
    ("p.first = 1.0", "p.first", "a part of the parameter `p`", "copy it first"),
    ("double(x).y = 1.0", "double(x).y", "no attribute `y`", "structs"),
    ("y = z = 1", "y = z = 1", "several targets", "one name at a time"),
    ("y, z = v", "y, z = v", "unpacking something", "one by one"),
    ("y, z = 1, 2\n    y, z = z, y", "y, z = z, y", "values use its targets", "temporary"),
    ("x + 1.0", "x + 1.0", "value isn't used", "remove it"),
    ("y: int", "y: int", "a declaration without a value", "= value"),
    ("y: int = x", "x", "`y` is int32, this is float32", "int(...)"),
    ("for y in a:\n        pass", "a", "something other than range", "range(n)"),
    ("for y, z in range(3):\n        pass", "y, z", "more than one variable", "for i in range"),
    ("for y in range(x):\n        pass", "x", "a bound of range() is int32", "int(...)"),
    ("for y in range(0, 9, n):\n        pass", "n", "a step that isn't a constant", "while"),
    ("for y in range(0, 9, 0):\n        pass", "0", "a step that isn't a constant other than 0", "while"),
    ("for y in range(3):\n        y = 2", "y = 2", "`y` counts this loop", "another name"),
    ("for n in range(3):\n        pass", "n", "used outside this loop", "a variable of its own"),
    ("for y in range(3):\n        pass\n    z = y", "y", "`y` may be read before", "before this line"),
    ("for y in range(3):\n        pass\n    else:\n        pass", "pass", "`else` of a loop", "variable"),
    ("with x:\n        pass", "with x:", "`with`", "use assignments"),
    ("try:\n        pass\n    except ValueError:\n        pass", "try:", "`try`", "use assignments"),
    ("import os", "import os", "`import`", "use assignments"),
    ("assert flag", "assert flag", "`assert`", "use assignments"),
    ("raise ValueError", "raise ValueError", "`raise`", "use assignments"),
    ("del x", "del x", "`del`", "use assignments"),
    ("global limit", "global limit", "`global`", "use assignments"),
    ("return x", "return x", "a kernel that returns a value", "write results to an array"),
    ("print(x)", "print(x)", "`print` can't be called", "kernels can't print"),
    ("y = math.sin(x)", "math.sin(x)", "`math.sin` can't be called", "wp.sin"),
    ("y = len(a)", "len(a)", "`len` can't be called", "@func"),
    ("y = range(3)", "range(3)", "`range` can't be called", "`for`"),
    ("y = wp.select(flag, 1.0, 2.0)", "wp.select(flag, 1.0, 2.0)", "can't be called", "wp.where"),
    ("y = unknown(x)", "unknown(x)", "`unknown` can't be called", "@func"),
    ("other(a)", "other(a)", "`other` is a kernel", "@func"),
    ("y = x(1)", "x(1)", "`x` is a variable", "call functions"),
    ("y = double(n)", "n", "argument `x` of double() is float32, this is int32", "float(...)"),
    ("y = double()", "double()", "takes 1 arguments, 0 given", "x: float32"),
    ("y = double(x=x)", "double(x=x)", "by keyword", "by position"),
    ("y = nothing(x)", "nothing(x)", "returns nothing", "as a statement"),
    ("if nothing(x):\n        pass", "nothing(x)", "returns nothing", "as a statement"),
    ("y = wp.where(nothing(x), 1, 2)", "nothing(x)", "returns nothing", "as a statement"),
    ("y = wp.sqrt(n)", "wp.sqrt(n)", "sqrt(int32)", "a float"),
    ("y = wp.sqrt(x, x)", "wp.sqrt(x, x)", "2 arguments", "a float"),
    ("y = wp.clamp(x, n, n)", "wp.clamp(x, n, n)", "clamp(float32, int32, int32)", "of one type"),
    ("y = wp.where(n, x, x)", "wp.where(n, x, x)", "where(int32", "a bool"),
    ("y = wp.dot(v, x)", "wp.dot(v, x)", "dot(vec2f, float32)", "two vectors"),
    ("y = wp.cross(v, v)", "wp.cross(v, v)", "cross(vec2f, vec2f)", "length 3"),
    ("y = wp.vec2(1.0, 2.0, 3.0)", "wp.vec2(1.0, 2.0, 3.0)", "vec2f from 3 numbers", "pass 2 numbers"),
    ("y = wp.vec2(n, n)", "n", "a component of vec2f is float32", "float(...)"),
    ("y = Pair(1.0, 2)", "Pair(1.0, 2)", "making a Pair from arguments", "set its fields"),
    ("y = int(v)", "int(v)", "casting vec2f", "components"),
    ("y = int()", "int()", "int32() with 0 arguments", "cast one number"),
    ("y = wp.tid(3)", "wp.tid(3)", "tid() with arguments", "i = tid()"),
    ("i, j = wp.tid()\n    y = wp.tid()", "wp.tid()", "1 indices here and 2 before", "one number of indices"),
    ("i, j, k1, l, q = wp.tid()", "i, j, k1, l, q = wp.tid()", "5 indices", "1 to 4"),
    ("wp.atomic_add(x, 0, 1.0)", "wp.atomic_add(x, 0, 1.0)", "on float32", "array, index"),
    ("wp.atomic_add(a, 0, n)", "wp.atomic_add(a, 0, n)", "element is float32, this is int32", "float(...)"),
    ("wp.atomic_add(m, 0, 1)", "wp.atomic_add(m, 0, 1)", "with 1 indices", "index..."),
    ("y = 99999999999999999999999", "99999999999999999999999", "more than 64 bits", "int64 or uint64"),
]


@pytest.mark.parametrize(
    ("body", "marked", "problem", "remedy"), BODIES, ids=[entry[0].split("\n")[0] for entry in BODIES]
)
def test_statement_is_refused_with_its_place_and_a_remedy(
    module_from: Callable[[str], ModuleType], body: str, marked: str, problem: str, remedy: str
) -> None:
    module = module_from(f"{HEAD}    {body}\n")
    with pytest.raises(wp.KernelError) as caught:
        _ = module.k.form
    error = caught.value
    lines = str(error).splitlines()
    assert error.where is not None
    assert error.where.file == module.__file__
    assert error.where.text in (HEAD + "    " + body).splitlines()
    assert (HEAD + "    " + body).splitlines()[error.where.line - 1] == error.where.text
    assert error.where.text[error.where.column : error.where.end_column] == marked
    gutter = lines[1].index("|") + 2
    assert lines[2][gutter + error.where.column :].rstrip() == "^" * len(marked)
    assert problem in error.problem
    assert remedy in error.remedy
    assert "\n" not in error.summary


# (parameters, words of the problem)
SIGNATURES = [
    ("x", "`x` has no type"),
    ("x: str", "no element type"),
    ("x: 'nowhere'", "can't be evaluated"),
    ("x: wp.array(dtype=float) = None", "default value"),
    ("*x: float", "`x` is not plain"),
    ("**x: float", "`x` is not plain"),
    ("*, x: float", "`x` is not plain"),
    ("x: float, /", "`x` is not plain"),
]


@pytest.mark.parametrize(("parameters", "problem"), SIGNATURES)
def test_signature_is_refused(module_from: Callable[[str], ModuleType], parameters: str, problem: str) -> None:
    module = module_from(f"import whitecap.capture as wp\n\n@wp.kernel\ndef k({parameters}):\n    pass\n")
    with pytest.raises(wp.KernelError, match="k: ") as caught:
        _ = module.k.form
    assert problem in caught.value.problem


# (function, use, words of the problem)
FUNCTIONS = [
    ("def f(x: float):\n    return f(x)", "f(1.0)", "calls itself"),
    ("def f(x: float):\n    return x, x", "f(1.0)", "several return values"),
    ("def f(x: float):\n    if x > 0.0:\n        return x", "f(1.0)", "on some paths only"),
    (
        "def f(x: float):\n    if x > 0.0:\n        return x\n    return 1 + int(x)",
        "f(1.0)",
        "int32 here and float32 before",
    ),
    ("def f(x: float):\n    if x > 0.0:\n        return\n    return x", "f(1.0)", "float32 here and nothing before"),
    ("def f(x: wp.array(dtype=float)):\n    return x", "f(a)", "an array as a return value"),
    ("def f(x: float):\n    return x + wp.tid()", "f(1.0)", "tid() in a function"),
]


@pytest.mark.parametrize(("function", "use", "problem"), FUNCTIONS)
def test_function_is_refused_at_its_own_line(
    module_from: Callable[[str], ModuleType], function: str, use: str, problem: str
) -> None:
    kernel = f"@wp.kernel\ndef k(a: wp.array(dtype=float)):\n    b = {use}\n"
    text = f"import whitecap.capture as wp\n\n@wp.func\n{function}\n\n{kernel}"
    with pytest.raises(wp.KernelError) as caught:
        _ = module_from(text).k.form
    assert problem in caught.value.problem
    assert caught.value.kernel == "f"


def test_caret_counts_characters_behind_wide_text(module_from: Callable[[str], ModuleType]) -> None:
    text = "import whitecap.capture as wp\n\n@wp.kernel\ndef k(größe: float, n: int):\n    höhe = größe + n  # ü\n"
    with pytest.raises(wp.KernelError) as caught:
        _ = module_from(text).k.form
    where = caught.value.where
    assert where is not None
    assert where.text[where.column : where.end_column] == "größe + n"


def test_kernel_inside_a_function_is_marked_at_its_indentation(module_from: Callable[[str], ModuleType]) -> None:
    body = "def make():\n    @wp.kernel\n    def k(n: int):\n        y = n / 2\n    return k\n"
    text = f"import whitecap.capture as wp\n\n{body}"
    with pytest.raises(wp.KernelError) as caught:
        _ = module_from(text).make().form
    where = caught.value.where
    assert where is not None
    assert where.text[where.column : where.end_column] == "n / 2"
    assert where.line == 6


def test_kernel_without_source_is_refused() -> None:
    names: dict[str, object] = {"wp": wp}
    exec("@wp.kernel\ndef k(n: int):\n    y = n\n", names)
    with pytest.raises(wp.KernelError, match="source text can't be read"):
        _ = names["k"].form  # type: ignore[attr-defined]


def test_kernel_that_is_called_says_how_to_launch_it(module_from: Callable[[str], ModuleType]) -> None:
    module = module_from(f"{HEAD}    pass\n")
    with pytest.raises(wp.CaptureError, match=r"launch\(k, dim=\.\.\., inputs=\[\.\.\.\]\)"):
        module.k()


def test_intrinsic_outside_a_kernel_is_refused() -> None:
    with pytest.raises(wp.CaptureError, match="inside kernels only"):
        wp.sqrt(2.0)  # type: ignore[attr-defined]
    with pytest.raises(wp.CaptureError, match="inside kernels only"):
        wp.tid()  # type: ignore[attr-defined]


def test_unknown_module_option_is_refused() -> None:
    with pytest.raises(wp.CaptureError, match="unique"):
        wp.kernel(module="shared")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [("pass", "has no fields"), ("x: str", "field x"), ("x: list", "field x")],
)
def test_struct_is_refused(module_from: Callable[[str], ModuleType], fields: str, problem: str) -> None:
    with pytest.raises(wp.CaptureError, match=problem):
        module_from(f"import whitecap.capture as wp\n\n@wp.struct\nclass S:\n    {fields}\n")


def test_array_of_structs_with_arrays_is_refused(module_from: Callable[[str], ModuleType]) -> None:
    struct = "@wp.struct\nclass S:\n    a: wp.array(dtype=float)\n"
    text = f"import whitecap.capture as wp\n\n{struct}\nx = wp.zeros(1, dtype=S)\n"
    with pytest.raises(wp.CaptureError, match="can't be captured"):
        module_from(text)
