"""What a frame is drawn into on its way to the target: multisampled, and smaller when the renderer is slow."""

from __future__ import annotations

import moderngl

from .release import release_all
from .shader import load_program


class FrameTarget:
    """Chooses per frame between the target itself and a framebuffer of its own, and brings the result to the target."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._program = load_program(context, "enlarge", vertex="fullscreen")
        self._triangle = context.vertex_array(self._program, [])
        self._kind: tuple[int, int, int] | None = None
        self._parts: list[moderngl.Renderbuffer | moderngl.Texture | moderngl.Framebuffer] = []
        self._inner: moderngl.Framebuffer | None = None
        self._resolved: moderngl.Framebuffer | None = None
        self._picture: moderngl.Texture | None = None
        self._target: moderngl.Framebuffer | None = None
        self._size = (0, 0)

    def begin(
        self, size: tuple[int, int], target: moderngl.Framebuffer, samples: int, resolution: float
    ) -> tuple[int, int]:
        """Prepares for one frame; returns the size in pixels that the scene is drawn at."""
        samples = min(samples, self._context.max_samples)
        samples = 0 if samples < 2 else samples
        inner = (max(round(size[0] * resolution), 1), max(round(size[1] * resolution), 1))
        self._target, self._size = target, size
        if samples == 0 and inner == size:
            self._drop()
        elif self._kind != (*inner, samples):
            self._drop()
            self._make(inner, samples)
        return inner

    def bind(self) -> None:
        """Binds and clears what the scene is drawn into."""
        assert self._target is not None
        framebuffer = self._inner or self._target
        if self._inner is None:
            framebuffer.viewport = (0, 0, *self._size)
        framebuffer.use()
        framebuffer.clear(depth=1.0)

    def finish(self) -> None:
        """Brings the picture to the target, and leaves the target bound."""
        assert self._target is not None
        inner = self._inner
        if inner is None:
            return
        if self._resolved is not None:
            self._context.copy_framebuffer(self._resolved, inner)
        assert self._picture is not None
        self._target.viewport = (0, 0, *self._size)
        self._target.use()
        self._picture.use(0)
        self._program["picture"] = 0
        self._triangle.render(vertices=3)

    def release(self) -> None:
        self._drop()
        self._triangle.release()
        self._program.release()

    def _make(self, size: tuple[int, int], samples: int) -> None:
        context = self._context
        self._picture = picture = context.texture(size, 4)
        picture.repeat_x = picture.repeat_y = False
        if samples:
            colour = context.renderbuffer(size, 4, samples=samples)
            depth = context.depth_renderbuffer(size, samples=samples)
            self._inner = context.framebuffer([colour], depth)
            self._resolved = context.framebuffer([picture])
            self._parts = [self._inner, self._resolved, colour, depth, picture]
        else:
            depth = context.depth_renderbuffer(size)
            self._inner = context.framebuffer([picture], depth)
            self._parts = [self._inner, depth, picture]
        self._kind = (*size, samples)

    def _drop(self) -> None:
        if self._parts:
            release_all(self._context, *self._parts)
        self._parts = []
        self._inner = self._resolved = self._picture = None
        self._kind = None
