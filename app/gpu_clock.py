"""How long the GPU works on each replay, read some frames later so that nothing waits for it."""

from __future__ import annotations

from collections import deque
from typing import Any

PENDING = 8
"""Replays that may be under way before the oldest measurement is dropped."""


class GpuClock:
    """Two events around each replay on the program's own stream."""

    def __init__(self, program: Any) -> None:
        self._stream = program.stream
        self._pending: deque[tuple[Any, Any]] = deque()
        self._spare: list[tuple[Any, Any]] = []

    def start(self) -> None:
        """The next replay begins here."""
        if len(self._pending) == PENDING:
            self._spare.append(self._pending.popleft())
        pair = self._spare.pop() if self._spare else self._make()
        pair[0].record(self._stream)
        self._pending.append(pair)

    def stop(self) -> None:
        """It ends here."""
        self._pending[-1][1].record(self._stream)

    def finished(self) -> list[float]:
        """Milliseconds of each replay that has ended since the last call, oldest first."""
        times = []
        while self._pending and self._pending[0][1].done:
            pair = self._pending.popleft()
            times.append(float(pair[1].since(pair[0])))
            self._spare.append(pair)
        return times

    def _make(self) -> tuple[Any, Any]:
        from .. import _native

        return _native.CudaEvent(), _native.CudaEvent()
