"""`@kernel` and `@func`: Python functions as the toolkit sees them. They are parsed when they are first needed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, overload

from . import ir
from .access import argument_access
from .config import config
from .digest import short_digest
from .errors import CaptureError, KernelError
from .fuse import fuse
from .module import Module, module_for
from .parse import parse_function, parse_kernel
from .source import FunctionSource


class Function:
    """A `@func`: callable from kernels, and from Python as the plain function that it is."""

    def __init__(self, function: Callable[..., Any], outer: Mapping[str, Any]) -> None:
        self.function = function
        self.name = function.__name__
        self._outer = outer
        self._form: ir.Function | None = None
        self._fused: bool | None = None
        self._parsing = False

    def form(self, caller: FunctionSource, node: ast.AST) -> ir.Function:
        """The parsed function. Raises KernelError, at the call for recursion."""
        if self._parsing:
            caller.error(node, f"{self.name}() calls itself", "write a loop: kernels have no recursion")
        if self._form is None or self._fused != config.fuse_fp:
            self._parsing = True
            try:
                form = parse_function(FunctionSource(self.function, self._outer))
            finally:
                self._parsing = False
            self._fused = config.fuse_fp
            self._form = replace(form, body=fuse(form.body)) if config.fuse_fp else form
        return self._form

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class Kernel:
    """A `@kernel`: launched with `launch(kernel, dim, inputs=[...])`."""

    def __init__(self, function: Callable[..., Any], outer: Mapping[str, Any], alone: bool) -> None:
        self.function = function
        self.key = function.__name__
        self._outer = outer
        self._form: ir.KernelForm | None = None
        self._error: KernelError | None = None
        self.packer: Any = None  # of launch.py: what it knows about the parameters
        self.module: Module = module_for(self, function, alone)

    @property
    def form(self) -> ir.KernelForm:
        """The parsed kernel. Raises KernelError."""
        if self._error is not None:
            raise self._error.with_traceback(None)
        if self._form is None:
            try:
                form = parse_kernel(FunctionSource(self.function, self._outer))
            except KernelError as error:
                self._error = error
                raise
            self.is_fused = config.fuse_fp
            self._form = replace(form, body=fuse(form.body)) if self.is_fused else form
        return self._form

    @cached_property
    def access(self) -> dict[str, str]:
        """What the kernel does with the memory behind its arguments."""
        return argument_access(self.form)

    @cached_property
    def base_symbol(self) -> str:
        """Its symbols without their device suffix: the name and 8 hex digits of what the kernel does."""
        return f"{self.key}_{short_digest(repr(self.form), 8)}"

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise CaptureError(f"{self.key} is a kernel: run it with launch({self.key}, dim=..., inputs=[...])")

    def __repr__(self) -> str:
        return f"<kernel {self.key} of {self.module.name}>"


def _outer_names() -> dict[str, Any]:
    """Names around the decorated function: annotations may use ones that its body doesn't."""
    frame = sys._getframe(2)
    return dict(frame.f_locals) if frame.f_locals is not frame.f_globals else {}


def func(function: Callable[..., Any]) -> Function:
    """Decorator: a function that kernels may call. The result's type follows from its `return` statements."""
    return Function(function, _outer_names())


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, module: str | None = None) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Callable[..., Any] | None = None, *, module: str | None = None) -> Any:
    """Decorator: a kernel. Kernels at the top level of one Python file are compiled together, as one module.

    module="unique": a module of its own; kernels defined inside functions always have one.
    """
    if module not in (None, "unique"):
        raise CaptureError(f'kernel(module={module!r}): only "unique" is known; leave it out for the file\'s module')
    outer = _outer_names()
    if function is not None:
        return Kernel(function, outer, False)
    return lambda decorated: Kernel(decorated, outer, module == "unique")
