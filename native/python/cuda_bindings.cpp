// The CUDA part of `whitecap._native`: devices, memory, modules, launches and streams for live arrays.
#include <pybind11/pybind11.h>

void bind_cuda(pybind11::module_& module) { (void)module; }
