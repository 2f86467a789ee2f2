"""What the application draws: the surface with its renderer, the camera, and how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .camera import Camera
from .scene import Grid
from .view.look import Look

if TYPE_CHECKING:
    import moderngl

    from .viewport import Viewport


class Stage:
    """Renderer, surface, camera and look. `context` None draws nothing: the null renderer, for tests."""

    def __init__(self, context: moderngl.Context | None, grid: Grid, look: Look | None = None) -> None:
        self.context = context
        self.look = look or Look()
        self.camera = Camera(extent(grid))
        self.grid = grid
        self._fitted: tuple[int, int] | None = None
        self.renderer: Any
        if context is None:
            from .view.null import NullRenderer

            self.renderer = NullRenderer()
        else:
            from .view.renderer import Renderer

            self.renderer = Renderer(context)
        self.surface: Any = self._make_surface(grid)

    def set_grid(self, grid: Grid) -> None:
        """A surface of that size in place of the one before; the view of the basin stays."""
        if (grid.shape, grid.cell) == (self.grid.shape, self.grid.cell):
            self.grid = grid
            return
        self.grid = grid
        self.renew_surface()
        self.camera.set_extent(extent(grid))

    def renew_surface(self) -> None:
        """Another surface of the same size, with GL objects of its own."""
        former, self.surface = self.surface, self._make_surface(self.grid)
        former.release()

    def fit(self, viewport: Viewport) -> None:
        """Tells the camera that the whole window is free; a camera that stands at home stays at home."""
        if viewport.size == self._fitted:
            return
        self._fitted = viewport.size
        at_home = self.camera.pose == self.camera.home_pose()
        self.camera.set_free_area((0.0, 0.0, 0.0, 0.0), viewport.size)
        if at_home:
            self.camera.pose = self.camera.home_pose()

    def draw(self, viewport: Viewport, target: Any, hover: Any = None, ui_scale: float = 1.0) -> None:
        """One picture of the surface as it is now. ui_scale: how much larger than usual text is to be."""
        scale = ui_scale * viewport.ui_scale * viewport.ratio
        self.renderer.draw(self.surface, self.camera, self.look, viewport.framebuffer, target, hover, scale)

    def release(self) -> None:
        """Frees every GL object. The context must still be there."""
        self.surface.release()
        self.renderer.release()

    def _make_surface(self, grid: Grid) -> Any:
        if self.context is None:
            from .view.null import NullSurface

            return NullSurface(None, grid.width, grid.height, grid.cell)
        from .view.surface import Surface

        return Surface(self.context, grid.width, grid.height, grid.cell)


def extent(grid: Grid) -> tuple[float, float]:
    """World width and depth of the basin."""
    return (grid.width * grid.cell, grid.height * grid.cell)
