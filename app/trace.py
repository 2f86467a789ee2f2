"""Named spans of time, kept for a Chrome trace and shown as NVTX ranges when the `nvtx` package is there."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from .files import write_atomically


@dataclass
class Trace:
    """Spans in the order in which they ended."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, category: str, start_ns: int, end_ns: int, arguments: dict[str, Any]) -> None:
        self.events.append(
            {
                "name": name,
                "cat": category,
                "ph": "X",
                "ts": start_ns / 1e3,
                "dur": (end_ns - start_ns) / 1e3,
                "pid": os.getpid(),
                "tid": threading.get_native_id(),
                "args": arguments,
            }
        )

    def save(self, path: Path) -> None:
        """Writes Chrome's trace event format: open it in chrome://tracing or ui.perfetto.dev."""
        text = json.dumps({"traceEvents": self.events, "displayTimeUnit": "ms"}, indent=None)
        write_atomically(path, text.encode())


_current: Trace | None = None
_nvtx: Any = None


def start(nvtx: bool = True) -> Trace:
    """Starts keeping spans and returns the trace they go to."""
    global _current, _nvtx
    _current = Trace()
    if nvtx:
        try:
            import nvtx as module

            _nvtx = module
        except ImportError:
            _nvtx = None
    return _current


def stop() -> None:
    """Stops keeping spans."""
    global _current, _nvtx
    _current = _nvtx = None


@contextmanager
def span(name: str, category: str, **arguments: Any) -> Iterator[None]:
    """A named stretch of time; costs next to nothing while no trace is kept."""
    trace = _current
    if trace is None:
        yield
        return
    start_ns = perf_counter_ns()
    try:
        with _nvtx.annotate(name, domain="whitecap", category=category) if _nvtx else nullcontext():
            yield
    finally:
        trace.add(name, category, start_ns, perf_counter_ns(), arguments)
