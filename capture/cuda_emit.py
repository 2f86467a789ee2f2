"""The CUDA entries of a kernel: `_cuda_kernel_forward`, and for rank 2 `_cuda_grid2d` without integer divisions."""

from __future__ import annotations

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
    return text + stencil_entries(kernel.base, kernel.form, kernel.plan, kernel.with_lines)


def _entry(kernel: KernelText, name: str, start: str, arguments: list[str]) -> str:
    parameters = [(cpp_name(p.type), f"arg_{identifier(p.name)}") for p in kernel.form.parameters]
    declared = "".join(f", {type} {argument}" for type, argument in parameters)
    values = ", ".join(argument for _, argument in parameters)
    return (
        f'extern "C" __global__ void __launch_bounds__(256) {kernel.base}_{name}'
        f"(wc::launch_bounds<{kernel.rank}> bounds{declared}) {{\n{start}"
        f"    {kernel.base} k{{{{{values}}}}};\n    k.setup();\n    {kernel.call(False, *arguments)}\n}}\n"
    )
