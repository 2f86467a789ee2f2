"""The water's surface with reflection, refraction and glitter."""

from __future__ import annotations

import moderngl

from .look import Look
from .mesh import Mesh
from .surface import Surface
from .variants import Variants, bind_textures


class WaterPass:
    """Draws the surface as water, from above and from below."""

    def __init__(self, context: moderngl.Context) -> None:
        self._variants = Variants(context, "water")

    def draw(
        self, surface: Surface, mesh: Mesh, look: Look, smooth: bool, below: bool, textures: dict[str, moderngl.Texture]
    ) -> None:
        """below: the eye may be under the surface. textures: sky_map, tiles, caustics. The scene block is bound."""
        array = self._variants.array(
            {
                "REFLECTION": look.reflection,
                "REFRACTION": look.refraction,
                "CAUSTICS": look.caustics,
                "SMOOTH": smooth,
                "MIPMAPS": surface.mipmapped,
                "OBSTACLES": surface.obstacles is not None,
                "BELOW": below,
            }
        )
        obstacles = surface.obstacles or surface.heights
        bind_textures(array.program, heights=surface.heights, slopes=surface.slopes, obstacles=obstacles, **textures)
        mesh.draw(array)

    def release(self) -> None:
        self._variants.release()
