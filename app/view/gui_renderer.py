"""The panels' triangles: Dear ImGui's draw data drawn with moderngl, its textures kept as the library asks."""

from __future__ import annotations

import ctypes
from typing import Any

import moderngl
import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray

from .release import release_all
from .shader import load_program

VERTEX = "2f 2f 4f1"
# Colours are not premultiplied; what is drawn stays opaque where it was.
BLENDING = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)


class GuiRenderer:
    """Draws what `imgui.render()` left. Create it after the ImGui context, release it before that goes."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._program = load_program(context, "gui")
        self._program["image"] = 0
        self._textures: dict[int, moderngl.Texture] = {}
        self._owned: dict[int, moderngl.Texture] = {}
        self._vertices = context.buffer(reserve=1 << 16, dynamic=True)
        self._indices = context.buffer(reserve=1 << 16, dynamic=True)
        self._array = self._make_array()
        io = imgui.get_io()
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures | imgui.BackendFlags_.renderer_has_vtx_offset
        platform = imgui.get_platform_io()
        platform.renderer_texture_max_width = int(context.info["GL_MAX_TEXTURE_SIZE"])
        platform.renderer_texture_max_height = int(context.info["GL_MAX_TEXTURE_SIZE"])

    def texture_ref(self, texture: moderngl.Texture) -> imgui.ImTextureRef:
        """What `imgui.image` needs to show a texture; call `forget` before the texture is released."""
        self._textures[texture.glo] = texture
        return imgui.ImTextureRef(texture.glo)

    def forget(self, texture: moderngl.Texture) -> None:
        """The texture of `texture_ref` is no longer shown."""
        self._textures.pop(texture.glo, None)

    def render(self, draw_data: imgui.ImDrawData, target: moderngl.Framebuffer | None = None) -> None:
        """Draws over what `target` holds (None: the window). Logical pixels are scaled to those of the framebuffer."""
        self._update_textures()
        width = int(draw_data.display_size.x * draw_data.framebuffer_scale.x)
        height = int(draw_data.display_size.y * draw_data.framebuffer_scale.y)
        if width <= 0 or height <= 0 or draw_data.total_idx_count == 0:
            return
        target = target or self._context.screen
        target.viewport = (0, 0, width, height)
        target.use()
        self._context.enable_only(moderngl.BLEND)
        self._context.blend_func = BLENDING  # type: ignore[assignment]  # its annotation knows only two factors
        left_top, size = draw_data.display_pos, draw_data.display_size
        self._program["display"] = (left_top.x, left_top.y, size.x, size.y)
        self._upload(draw_data)
        self._draw_commands(draw_data, (width, height))
        self._context.scissor = None
        self._context.disable(moderngl.BLEND)

    def release(self) -> None:
        """Gives the buffers and all textures back, and tells ImGui that they are gone."""
        for data in imgui.get_platform_io().textures:
            if data.tex_id in self._owned:
                self._destroy(data)
        release_all(self._context, self._array, self._vertices, self._indices, self._program, *self._owned.values())
        self._owned.clear()
        self._textures.clear()

    # -- triangles -----------------------------------------------------------------------------------------------

    def _upload(self, draw_data: imgui.ImDrawData) -> None:
        """All lists in one vertex and one index buffer; indices count from the start of the whole."""
        vertices, indices = [], []
        base = 0
        for commands in draw_data.cmd_lists:
            count = commands.vtx_buffer.size()
            vertices.append(_memory(commands.vtx_buffer.data_address(), count * imgui.VERTEX_SIZE, np.uint8))
            own = _memory(commands.idx_buffer.data_address(), commands.idx_buffer.size() * imgui.INDEX_SIZE, _INDEX)
            shifted = own.astype(np.uint32) + np.uint32(base)
            for command in commands.cmd_buffer:
                if command.vtx_offset:
                    shifted[command.idx_offset : command.idx_offset + command.elem_count] += np.uint32(
                        command.vtx_offset
                    )
            indices.append(shifted)
            base += count
        self._fill(np.concatenate(vertices), np.concatenate(indices))

    def _fill(self, vertices: NDArray[np.uint8], indices: NDArray[np.uint32]) -> None:
        if vertices.nbytes > self._vertices.size or indices.nbytes > self._indices.size:
            room = max(2 * vertices.nbytes, self._vertices.size), max(2 * indices.nbytes, self._indices.size)
            for item in (self._array, self._vertices, self._indices):
                item.release()
            self._vertices = self._context.buffer(reserve=room[0], dynamic=True)
            self._indices = self._context.buffer(reserve=room[1], dynamic=True)
            self._array = self._make_array()
        # New storage each frame, so that nobody waits for the triangles of the last one.
        self._vertices.orphan()
        self._indices.orphan()
        self._vertices.write(vertices)
        self._indices.write(indices)

    def _draw_commands(self, draw_data: imgui.ImDrawData, size: tuple[int, int]) -> None:
        start = 0
        left, top = draw_data.display_pos.x, draw_data.display_pos.y
        scale_x, scale_y = draw_data.framebuffer_scale.x, draw_data.framebuffer_scale.y
        for commands in draw_data.cmd_lists:
            for command in commands.cmd_buffer:
                clip = command.clip_rect
                x0, x1 = (min(max((x - left) * scale_x, 0), size[0]) for x in (clip.x, clip.z))
                y0, y1 = (min(max((y - top) * scale_y, 0), size[1]) for y in (clip.y, clip.w))
                texture = self._textures.get(command.get_tex_id())
                if command.elem_count == 0 or x1 <= x0 or y1 <= y0 or texture is None:
                    continue
                # OpenGL counts rows from below.
                self._context.scissor = (int(x0), int(size[1] - y1), int(x1) - int(x0), int(y1) - int(y0))
                texture.use(0)
                self._array.render(moderngl.TRIANGLES, vertices=command.elem_count, first=start + command.idx_offset)
            start += commands.idx_buffer.size()

    def _make_array(self) -> moderngl.VertexArray:
        content = [(self._vertices, VERTEX, "in_position", "in_uv", "in_colour")]
        return self._context.vertex_array(self._program, content, self._indices)

    # -- textures ------------------------------------------------------------------------------------------------

    def _update_textures(self) -> None:
        """Creates, updates and destroys what ImGui asks for; fonts grow while new glyphs appear."""
        status = imgui.ImTextureStatus
        for data in imgui.get_platform_io().textures:
            if data.status == status.want_create:
                self._create(data)
            elif data.status == status.want_updates:
                pixels = _pixels(data)
                for part in data.updates:
                    block = np.ascontiguousarray(pixels[part.y : part.y + part.h, part.x : part.x + part.w])
                    self._owned[data.tex_id].write(block, viewport=(part.x, part.y, part.w, part.h), alignment=1)
                data.set_status(status.ok)
            elif data.status == status.want_destroy and data.unused_frames > 0:
                self._destroy(data)

    def _create(self, data: Any) -> None:
        pixels = np.ascontiguousarray(_pixels(data))
        texture = self._context.texture((data.width, data.height), data.bytes_per_pixel, pixels, alignment=1)
        texture.repeat_x = texture.repeat_y = False
        if data.bytes_per_pixel == 1:
            texture.swizzle = "111R"
        self._owned[texture.glo] = self._textures[texture.glo] = texture
        data.set_tex_id(texture.glo)
        data.set_status(imgui.ImTextureStatus.ok)

    def _destroy(self, data: Any) -> None:
        texture = self._owned.pop(data.tex_id, None)
        if texture is not None:
            self._textures.pop(texture.glo, None)
            texture.release()
        data.set_tex_id(0)
        data.set_status(imgui.ImTextureStatus.destroyed)


_INDEX = np.uint32 if imgui.INDEX_SIZE == 4 else np.uint16


def _memory(address: int, size: int, kind: Any) -> NDArray[Any]:
    """Bytes that ImGui owns, seen as an array without a copy; valid until its next frame."""
    if size == 0:
        return np.empty(0, kind)
    return np.asarray(memoryview((ctypes.c_ubyte * size).from_address(address))).view(kind)


def _pixels(data: Any) -> NDArray[np.uint8]:
    """(H, W, bytes per pixel)."""
    pixels: NDArray[np.uint8] = np.asarray(data.get_pixels_array(), dtype=np.uint8)
    return pixels.reshape(data.height, data.width, data.bytes_per_pixel)
