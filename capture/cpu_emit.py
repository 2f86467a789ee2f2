"""The CPU entries of a kernel: `_cpu_forward` and `_cpu_range`, and the two ways in which they walk the threads.

`_packed` is for arrays that are dense along their last dimension and don't overlap, which is nearly always: it goes row
by row, peels the borders off (plan.py), and tells the compiler that stores and loads don't meet, so that it vectorises.
`_any` is for everything else, thread by thread.
"""

from __future__ import annotations

from .cpp_names import identifier
from .cpu_rows import row_table
from .dtypes import ArrayType, cpp_name
from .kernel_text import KernelText
from .plan import Guard


def cpu_entries(kernel: KernelText) -> str:
    base, rank = kernel.base, kernel.rank
    signature = f"const wc::launch_bounds<{rank}>* bounds, const {base}_args* args"
    walk = _walk_parameters(kernel)
    dispatch = _dispatch(kernel) if _can_pack(kernel) else ""
    return (
        f"WC_NOINLINE void {base}_any({walk}) {{\n"
        f"    {base} k{{args}};\n    k.setup();\n"
        f"    for (wc::thread_cursor<{rank}> at(bounds, begin, end); at.left; at.next()) {{\n"
        f"        {kernel.call(False, *kernel.thread_arguments('at.c'))}\n    }}\n}}\n\n"
        f"{_packed_walk(kernel) if _can_pack(kernel) else ''}"
        f"WC_NOINLINE void {base}_walk({walk}) {{\n    if (begin >= end) return;\n"
        f"{dispatch}    {base}_any(bounds, args, begin, end);\n}}\n\n"
        f"WC_EXPORT void {base}_cpu_range({signature}, wc::uint64 begin, wc::uint64 end) {{\n"
        f"    {base}_walk(*bounds, *args, begin, end);\n}}\n\n"
        f"WC_EXPORT void {base}_cpu_forward({signature}) {{\n"
        f"    {base}_walk(*bounds, *args, 0, bounds->size);\n}}\n{_row_table(kernel)}"
    )


def _row_table(kernel: KernelText) -> str:
    table = row_table(kernel.form, kernel.plan)
    if table is None:
        return ""
    values = ", ".join(map(str, table))
    return f"\nWC_EXPORT const int {kernel.base}_cpu_rows[];\nconst int {kernel.base}_cpu_rows[] = {{{values}}};\n"


def _walk_parameters(kernel: KernelText) -> str:
    return (
        f"const wc::launch_bounds<{kernel.rank}>& bounds, const {kernel.base}_args& args,\n"
        "    wc::uint64 begin, wc::uint64 end"
    )


def _arrays(kernel: KernelText) -> list[tuple[str, str, ArrayType]]:
    """Name, C++ name and type of the array parameters."""
    return [(p.name, identifier(p.name), p.type) for p in kernel.form.parameters if isinstance(p.type, ArrayType)]


def _can_pack(kernel: KernelText) -> bool:
    """Arrays inside struct arguments are out of sight: such kernels take the general walk."""
    return all(
        isinstance(p.type, ArrayType) or not getattr(p.type, "holds_arrays", False) for p in kernel.form.parameters
    )


def _dispatch(kernel: KernelText) -> str:
    """The choice between the two walks: what `_packed` relies on."""
    access = kernel.plan.access
    arrays = _arrays(kernel)
    tests = ["bounds.coord_mult <= 1", *(f"wc::is_packed(args.{name})" for _, name, _ in arrays)]
    for position, (first, name, _) in enumerate(arrays):
        for second, other, _ in arrays[position + 1 :]:
            if access[first] != "read" or access[second] != "read":
                tests.append(f"wc::is_disjoint(args.{name}, args.{other})")
    pointers = "".join(f", args.{name}.data" for _, name, _ in arrays)
    condition = " &&\n        ".join(tests)
    return f"    if ({condition})\n        return {kernel.base}_packed(bounds, args, begin, end{pointers});\n"


def _packed_walk(kernel: KernelText) -> str:
    arrays = [(name, cpp_name(type.dtype), type.ndim) for _, name, type in _arrays(kernel)]
    pointers = "".join(f",\n    {element}* WC_RESTRICT data_{i}" for i, (_, element, _) in enumerate(arrays))
    fixed = "".join(
        f"    k.{name}.data = data_{i};\n    k.{name}.strides[{ndim - 1}] = sizeof({element});\n"
        for i, (name, element, ndim) in enumerate(arrays)
    )
    return (
        f"WC_NOINLINE void {kernel.base}_packed({_walk_parameters(kernel)}{pointers}) {{\n"
        f"    {kernel.base} k{{args}};\n{fixed}    k.setup();\n{_rows(kernel)}}}\n\n"
    )


def _rows(kernel: KernelText) -> str:
    """The loop over rows: those of the launch, or those into which a one-dimensional index is cut."""
    rank = kernel.rank
    if kernel.plan.width is None:
        outer = [f"row.c[{dimension}]" for dimension in range(rank - 1)]
        return _row_loop(kernel, f"wc::row_cursor<{rank}> row(bounds, begin, end)", rank - 1, [*outer, "i"])
    return (
        f"    const int grid_width = {kernel.outside(kernel.plan.width)};\n"
        f"    if (grid_width <= 0) return {kernel.base}_any(bounds, args, begin, end);\n"
        f"    const wc::launch_bounds<2> grid = {{{{0u, wc::uint32(grid_width)}}, bounds.size, 1}};\n"
    ) + _row_loop(kernel, "wc::row_cursor<2> row(grid, begin, end)", 1, ["row.c[0] * grid_width + i", "row.c[0]", "i"])


def _row_loop(kernel: KernelText, cursor: str, inner: int, arguments: list[str]) -> str:
    """One row piece after the other; with guards in three parts: border, interior, border."""
    begin, end = f"row.c[{inner}]", "row.last"
    guards = "".join(f"        {_guard(kernel, guard)}\n" for guard in kernel.plan.guards)
    parts = [(begin, end, False)]
    if guards:
        guards = f"        wc::interior_range inside({begin}, {end});\n{guards}"
        parts = [(begin, "inside.first", False), ("inside.first", "inside.last", True), ("inside.last", end, False)]
    loops = "".join(
        f"        for (int i = {first}; i < {last}; ++i) {kernel.call(interior, *arguments)}\n"
        for first, last, interior in parts
    )
    return f"    for ({cursor}; row.left; row.next()) {{\n{guards}{loops}    }}\n"


def _guard(kernel: KernelText, guard: Guard) -> str:
    offset = f" - {guard.offset}" if guard.offset > 0 else f" + {-guard.offset}" if guard.offset < 0 else ""
    side = "at_least" if guard.is_low else "at_most"
    return f"inside.{side}(wc::int64({kernel.outside(guard.bound)}){offset});"
