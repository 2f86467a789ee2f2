"""Modules: the kernels that are compiled together, their hash and their C++ text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .config import config
from .digest import full_digest
from .emit import ABI_VERSION, emit_module
from .errors import Location

if TYPE_CHECKING:
    from .kernel import Kernel


@dataclass(frozen=True)
class ModuleText:
    """A module ready to compile. `hash`: 64 hex digits of what the kernels do and of the options."""

    name: str
    hash: str
    source: str  # without #line
    compiled_source: str  # what the compiler gets: `source`, or the same with #line
    sites: tuple[Location | None, ...] = ()  # of checked array accesses (config.verify)

    @property
    def number(self) -> int:
        """64 bits of the hash."""
        return int(self.hash[:16], 16)

    def binary_name(self, target: str, suffix: str) -> str:
        """File name of a binary: wc_<module name>_<7 hex of hash>.<target><suffix>"""
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", self.name)
        return f"wc_{plain}_{self.hash[:7]}.{target}{suffix}"


class Module:
    """A set of kernels; a kernel that is added later gives the module another text and hash."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kernels: dict[str, Kernel] = {}
        self._text: ModuleText | None = None
        self._options = (False, False)

    def add(self, kernel: Kernel) -> None:
        self.kernels[kernel.key] = kernel
        self._text = None

    def text(self) -> ModuleText:
        """Parses and emits what isn't yet. Raises KernelError for the first kernel that has one."""
        options = (config.verify, config.line_directives)
        if self._text is None or self._options != options:
            kernels = sorted(self.kernels.values(), key=lambda kernel: kernel.base_symbol)
            parts = [ABI_VERSION, *((kernel.form, kernel.is_fused) for kernel in kernels)]
            digest = full_digest(repr([*parts, "verify"] if config.verify else parts))
            forms = [(kernel.base_symbol, kernel.form) for kernel in kernels]
            sites: list[Location | None] | None = [] if config.verify else None
            number = int(digest[:16], 16)
            source = compiled = emit_module(self.name, forms, False, sites, number)
            if config.line_directives:
                compiled = emit_module(self.name, forms, True, None if sites is None else [], number)
            self._text = ModuleText(self.name, digest, source, compiled, tuple(sites or ()))
            self._options = options
        return self._text


_modules: dict[str, Module] = {}


def module_for(kernel: Kernel, function: Callable[..., Any], alone: bool) -> Module:
    """The module that a new kernel belongs to: its file's, or one of its own for `alone` and for closures."""
    name = function.__module__
    if alone or "<locals>" in function.__qualname__:
        module = Module(f"{name}.{kernel.key}")
    else:
        module = _modules.setdefault(name, Module(name))
        if kernel.key in module.kernels:  # the file was loaded again: older kernels keep what they were
            module = _modules[name] = Module(name)
    module.add(kernel)
    return module


def forget_file(name: str) -> None:
    """A file of that import name is about to be loaded anew: its kernels make a module of their own."""
    _modules.pop(name, None)


def file_module(name: str) -> Module | None:
    """The module of the kernels at the top level of a Python file, by its import name."""
    return _modules.get(name)
