"""A kernel as a C++ struct: its arguments, what is the same for all threads, and the body of one thread.

    struct solve_1a2b3c4d_args { ... };                          what the host packs
    struct solve_1a2b3c4d : solve_1a2b3c4d_args {
        ...                                                      what `setup` computes once
        void setup();
        template <bool interior> void thread(int thread_c0, int thread_c1) const;
    };

The entries of both targets (cpu_emit.py, cuda_emit.py) make one, call `setup`, and walk the threads.
"""

from __future__ import annotations

from . import ir
from .cpp import ExpressionWriter, StatementWriter
from .cpp_names import identifier
from .dtypes import cpp_name
from .plan import Plan, plan_kernel


class KernelText:
    """One kernel on its way to C++. sites: see config.verify."""

    def __init__(self, base: str, form: ir.KernelForm, with_lines: bool, sites: list[ir.Where] | None) -> None:
        self.base = base
        self.form = form
        self.with_lines = with_lines
        self.sites = sites
        self.plan: Plan = plan_kernel(form)
        self.rank = form.rank
        self.coordinates = tuple(f"thread_c{dimension}" for dimension in range(self.rank))

    def structs(self) -> str:
        return f"{self._arguments()}\n{self._threads()}"

    def call(self, interior: bool, *arguments: str) -> str:
        """The body of one thread, for a struct called `k`."""
        template = f"<{'true' if interior else 'false'}>" if self.plan.guards else ""
        return f"k.thread{template}({', '.join(arguments)});"

    def thread_arguments(self, coordinates: str) -> list[str]:
        """What `thread` takes, from an array of coordinates."""
        parts = [f"{coordinates}[{dimension}]" for dimension in range(self.rank)]
        if self.plan.width is not None:
            width = self.outside(self.plan.width)
            parts += [f"wc::floordiv({coordinates}[0], {width})", f"wc::mod({coordinates}[0], {width})"]
        return parts

    def outside(self, node: ir.Expr) -> str:
        """An expression over members of the struct, as written outside of it."""
        return _MemberWriter().text(node)

    def _arguments(self) -> str:
        fields = "".join(f"    {cpp_name(p.type)} {identifier(p.name)};\n" for p in self.form.parameters)
        return f"struct {self.base}_args {{\n{fields}}};\n"

    def _threads(self) -> str:
        template = "    template <bool interior>\n" if self.plan.guards else ""
        names = [*self.coordinates, *(("grid_row", "grid_column") if self.plan.width is not None else ())]
        parameters = ", ".join(f"int {name}" for name in names)
        lines = "\n".join(line if line.startswith("#line") else f"    {line}" for line in self._body())
        return (
            f"struct {self.base} : {self.base}_args {{\n{self._setup()}\n{template}"
            f"    WC_INLINE void thread({parameters}) const {{\n{lines}\n    }}\n}};\n"
        )

    def _setup(self) -> str:
        if not self.plan.setup:
            return "    WC_INLINE void setup() {}\n"
        writer = ExpressionWriter(self.coordinates, self.sites)
        members, statements = "", ""
        for assign in self.plan.setup:
            name = writer.text(assign.target)
            members += f"    {cpp_name(assign.target.type)} {name};\n"
            statements += f"        {name} = {writer.text(assign.value)};\n"
        return f"{members}\n    WC_INLINE void setup() {{\n{statements}    }}\n"

    def _body(self) -> list[str]:
        """The thread's statements; parameters that they change are copied first."""
        given = {parameter.name for parameter in self.form.parameters}
        given |= {a.target.name for a in self.plan.setup if isinstance(a.target, ir.Local)}
        assigned = _assigned_names(self.plan.body)
        changed = [p for p in self.form.parameters if p.name in assigned]
        copies = [
            f"    {cpp_name(p.type)} {identifier(p.name)} = {self.base}_args::{identifier(p.name)};" for p in changed
        ]
        return copies + StatementWriter(self.plan.body, given, self.coordinates, self.with_lines, self.sites).lines


class _MemberWriter(ExpressionWriter):
    """Writes names as members of `k`."""

    def name(self, local: ir.Local) -> str:
        return f"k.{identifier(local.name)}"


def _assigned_names(body: tuple[ir.Stmt, ...]) -> set[str]:
    return {
        node.target.name for node in ir.walk(body) if isinstance(node, ir.Assign) and isinstance(node.target, ir.Local)
    }
