"""The panels' triangles land where ImGui put them, at any pixel ratio, with textures that come and go."""

from __future__ import annotations

from collections.abc import Callable

import moderngl
import numpy as np
import pytest
from imgui_bundle import imgui
from whitecap.app.view.gui_renderer import GuiRenderer
from whitecap.app.view.picture import OffscreenTarget

SIZE = (120, 80)
RED = (1.0, 0.0, 0.0, 1.0)


@pytest.fixture
def gui(context: moderngl.Context):
    previous = imgui.get_current_context()
    own = imgui.create_context()
    imgui.set_current_context(own)
    imgui.get_io().set_ini_filename("")
    renderer = GuiRenderer(context)
    yield renderer
    renderer.release()
    imgui.destroy_context(own)
    if previous is not None:
        imgui.set_current_context(previous)


def picture(
    context: moderngl.Context,
    gui: GuiRenderer,
    draw: Callable[[imgui.ImDrawList], None],
    ratio: float = 1.0,
    frames: int = 1,
) -> np.ndarray:
    """What `draw` leaves on a black target of SIZE logical pixels."""
    target = OffscreenTarget(context, round(SIZE[0] * ratio), round(SIZE[1] * ratio))
    for _ in range(frames):
        io = imgui.get_io()
        io.display_size = imgui.ImVec2(*SIZE)
        io.display_framebuffer_scale = imgui.ImVec2(ratio, ratio)
        io.delta_time = 1 / 60
        imgui.new_frame()
        draw(imgui.get_background_draw_list())
        imgui.render()
        target.framebuffer.clear()
        gui.render(imgui.get_draw_data(), target.framebuffer)
    pixels = target.read()
    target.release()
    return pixels


def box_of(mask: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right and bottom (past the end) of what is set."""
    rows, columns = np.nonzero(mask)
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def rectangle(drawing: imgui.ImDrawList) -> None:
    drawing.add_rect_filled((20, 10), (50, 70), imgui.get_color_u32(RED))


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_rectangle_fills_exactly_its_pixels(context, gui, ratio: float) -> None:
    pixels = picture(context, gui, rectangle, ratio)
    solid = (pixels == (255, 0, 0)).all(axis=2)
    left, top, right, bottom = box_of(pixels.any(axis=2))
    assert (left, top, right, bottom) == pytest.approx((20 * ratio, 10 * ratio, 50 * ratio, 70 * ratio), abs=1)
    assert solid.sum() == pytest.approx(30 * 60 * ratio**2, rel=0.08)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_clipping_cuts_at_the_right_pixels(context, gui, ratio: float) -> None:
    def draw(drawing: imgui.ImDrawList) -> None:
        drawing.push_clip_rect((30, 5), (40, 25), False)
        rectangle(drawing)
        drawing.pop_clip_rect()

    assert box_of(picture(context, gui, draw, ratio).any(axis=2)) == tuple(ratio * edge for edge in (30, 10, 40, 25))


def test_half_transparent_colours_mix_with_what_is_there(context, gui) -> None:
    def draw(drawing: imgui.ImDrawList) -> None:
        drawing.add_rect_filled((0, 0), (120, 80), imgui.get_color_u32((0.0, 0.0, 1.0, 1.0)))
        drawing.add_rect_filled((0, 0), (120, 80), imgui.get_color_u32((1.0, 0.0, 0.0, 0.5)))

    assert picture(context, gui, draw)[40, 60] == pytest.approx((128, 0, 127), abs=2)


def test_text_appears_where_it_was_put_and_is_sharp(context, gui) -> None:
    pixels = picture(
        context, gui, lambda drawing: drawing.add_text((40, 30), imgui.get_color_u32(RED), "H"), 2.0, frames=2
    )
    left, top, right, bottom = box_of(pixels.any(axis=2))
    assert 80 <= left < right <= 110
    assert 60 <= top < bottom <= 60 + 2 * 20
    assert pixels[..., 0].max() == 255


def test_glyphs_that_appear_later_are_drawn_too(context, gui) -> None:
    def text(words: str) -> Callable[[imgui.ImDrawList], None]:
        return lambda drawing: drawing.add_text((2, 2), imgui.get_color_u32(RED), words)

    few = picture(context, gui, text("a"), frames=2)
    many = picture(context, gui, text("a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5"), frames=1)
    assert many.any(axis=2).sum() > 5 * few.any(axis=2).sum()


def test_a_texture_of_the_application_is_shown(context, gui) -> None:
    texture = context.texture((2, 1), 4, bytes([255, 0, 0, 255, 0, 255, 0, 255]))
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    reference = gui.texture_ref(texture)
    pixels = picture(context, gui, lambda drawing: drawing.add_image(reference, (10, 10), (30, 20)))
    assert tuple(pixels[15, 12]) == (255, 0, 0)
    assert tuple(pixels[15, 28]) == (0, 255, 0)
    gui.forget(texture)
    assert not picture(context, gui, lambda drawing: drawing.add_image(reference, (10, 10), (30, 20))).any()
    texture.release()


def test_more_triangles_than_the_buffers_had_room_for(context, gui) -> None:
    def draw(drawing: imgui.ImDrawList) -> None:
        for index in range(20_000):
            x, y = index % 120, index // 120 % 80
            drawing.add_rect_filled((x, y), (x + 1, y + 1), imgui.get_color_u32(RED))

    assert (picture(context, gui, draw)[:80] == (255, 0, 0)).all()


def test_an_empty_display_is_no_error(context, gui) -> None:
    io = imgui.get_io()
    io.display_size = imgui.ImVec2(0, 50)
    io.delta_time = 1 / 60
    imgui.new_frame()
    rectangle(imgui.get_background_draw_list())
    imgui.render()
    gui.render(imgui.get_draw_data())


def test_drawing_leaves_blending_and_clipping_off(context, gui) -> None:
    picture(context, gui, rectangle)
    target = OffscreenTarget(context, 20, 20)
    target.framebuffer.use()
    target.framebuffer.clear(0.0, 1.0, 0.0)
    assert (target.read() == (0, 255, 0)).all()
    target.release()


def test_everything_is_given_back(context, count_objects) -> None:
    before = count_objects()
    for _ in range(3):
        own = imgui.create_context()
        imgui.set_current_context(own)
        imgui.get_io().set_ini_filename("")
        gui = GuiRenderer(context)
        picture(context, gui, lambda drawing: drawing.add_text((2, 2), imgui.get_color_u32(RED), "words"), frames=2)
        gui.release()
        imgui.destroy_context(own)
    assert count_objects() == before
