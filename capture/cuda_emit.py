"""The CUDA entries of a kernel: `_cuda_kernel_forward`, and for rank 2 `_cuda_grid2d` without integer divisions.

A kernel of rank 2 that does nothing for most threads gets `_cuda_bands2d` as well, whose threads do several rows:
starting a block costs more than such a thread. Kernels that always work are slower that way (a fifth, for the wave's
sub-step).
"""

from __future__ import annotations

from . import ir
from .cpp_names import identifier
from .cuda_stencil import stencil_entries
from .dtypes import cpp_name
from .kernel_text import KernelText


def cuda_entries(kernel: KernelText) -> str:
    text = _entry(
        kernel,
        "cuda_kernel_forward",
        "    const wc::uint64 index = wc::linear_index();\n    if (index >= bounds.size) return;\n"
        f"    int c[{kernel.rank}];\n    wc::coordinates(bounds, index, c);\n",
        kernel.thread_arguments("c"),
    )
    if kernel.rank == 2:
        text += "\n" + _entry(
            kernel,
            "cuda_grid2d",
            "    wc::wait_for_previous_kernel();\n"
            "    const wc::uint32 column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;\n"
            "    if (row >= bounds.shape[0] || column >= bounds.shape[1]) return;\n",
            ["int(row)", "int(column)"],
        )
        if _is_guarded(kernel.form.body):
            text += "\n" + _entry(
                kernel,
                "cuda_bands2d",
                "    wc::wait_for_previous_kernel();\n"
                "    const wc::uint32 column = blockIdx.x * 32 + threadIdx.x;\n"
                "    if (column >= bounds.shape[1]) return;\n",
                ["int(row)", "int(column)"],
                "for (wc::uint32 row = blockIdx.y * 8 + threadIdx.y; row < bounds.shape[0]; row += gridDim.y * 8) ",
            )
    return text + stencil_entries(kernel.base, kernel.form, kernel.plan, kernel.with_lines)


def _is_guarded(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether everything that a thread writes stands under one condition."""
    *before, last = body or (None,)
    return (
        isinstance(last, ir.If)
        and not last.otherwise
        and all(isinstance(statement, ir.Assign) and isinstance(statement.target, ir.Local) for statement in before)
    )


def _entry(kernel: KernelText, name: str, start: str, arguments: list[str], repeat: str = "") -> str:
    parameters = [(cpp_name(p.type), f"arg_{identifier(p.name)}") for p in kernel.form.parameters]
    declared = "".join(f", {type} {argument}" for type, argument in parameters)
    values = ", ".join(argument for _, argument in parameters)
    return (
        f'extern "C" __global__ void __launch_bounds__(256) {kernel.base}_{name}'
        f"(wc::launch_bounds<{kernel.rank}> bounds{declared}) {{\n{start}"
        f"    {kernel.base} k{{{{{values}}}}};\n    k.setup();\n    {repeat}{kernel.call(False, *arguments)}\n}}\n"
    )
