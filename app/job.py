"""A piece of work on a thread of its own, asked for its result once a frame."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Job(Generic[Result]):
    """Starts at once. The thread never keeps the program from ending."""

    def __init__(self, label: str, work: Callable[[], Result]) -> None:
        self.label = label
        self._work = work
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=label, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether `result` returns at once."""
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Waits at most that long; whether it is done."""
        self._thread.join(seconds)
        return self.done

    def result(self) -> Result:
        """What the work returned, waiting for it; raises what the work raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error
