"""Giving OpenGL objects back."""

from __future__ import annotations

from typing import Protocol

import moderngl


class Releasable(Protocol):
    """Anything that holds OpenGL objects."""

    def release(self) -> object: ...


def release_all(context: moderngl.Context, *items: Releasable | None) -> None:
    """Releases the items in order; None is skipped.

    The default framebuffer is bound first: a framebuffer that is deleted while it is bound leaves the context pointing
    at nothing, and the next object made reports an error that is not its own.
    """
    context.detect_framebuffer(0).use()
    for item in items:
        if item is not None:
            item.release()
