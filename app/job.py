"""A piece of work on a thread of its own, asked for its result once a frame."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Generic, TypeVar
from weakref import WeakSet

Result = TypeVar("Result")

_jobs: WeakSet[Job[Any]] = WeakSet()
"""Every job whose thread still runs, and some that are done."""


class Job(Generic[Result]):
    """Starts at once. The thread never keeps the program from ending."""

    def __init__(self, label: str, work: Callable[[], Result]) -> None:
        self.label = label
        self._work = work
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=label, daemon=True)
        _jobs.add(self)
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


def end_process(code: int, patience: float = 0.4) -> int:
    """Returns `code` when every job is done within `patience` seconds; else ends the process with it, at once.

    An interpreter must not be taken down around a thread in native code: the thread would be unwound through C++ and
    abort the process. Files take their names when they are whole, so nothing half-written stays behind.
    """
    end = monotonic() + patience
    with suppress(KeyboardInterrupt):
        if all(job.wait(max(end - monotonic(), 0.0)) for job in list(_jobs)):
            return code
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed by the shell, or by its reader
            stream.flush()
    os._exit(code)
