"""How long drawing takes: the graphics card's own clock without waiting, or the wall clock for a software renderer."""

from __future__ import annotations

import time
from typing import Any

import moderngl


class DrawTimer:
    """Use as a context around the drawing of one frame."""

    # A query is read this many frames after it began, when its answer has long arrived.
    DELAY = 4

    def __init__(self, context: moderngl.Context, software: bool) -> None:
        self._context = context
        self._software = software
        self._queries = [] if software else [context.query(time=True) for _ in range(self.DELAY)]
        self._frame = 0
        self._started = 0.0
        self.seconds: float | None = None

    def __enter__(self) -> None:
        if self._software:
            self._started = time.perf_counter()
            return
        query = self._queries[self._frame % self.DELAY]
        if self._frame >= self.DELAY:
            self.seconds = query.elapsed * 1e-9
        query.__enter__()  # type: ignore[no-untyped-call]

    def __exit__(self, *error: Any) -> None:
        if self._software:
            # All the work is this processor's anyway: waiting for it costs nothing and gives a true figure.
            self._context.finish()
            self.seconds = time.perf_counter() - self._started
        else:
            self._queries[self._frame % self.DELAY].__exit__(error)
        self._frame += 1

    def release(self) -> None:
        self._queries.clear()
