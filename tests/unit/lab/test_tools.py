"""The tools: drawing walls, placing and dragging sources and probes. Positions are in cells, as the pointer's are."""

from __future__ import annotations

import pytest
from fakes import FakeHost
from whitecap.app.lab.sources import MAX_SOURCES, Source
from whitecap.app.scene import Grid


@pytest.fixture
def host() -> FakeHost:
    return FakeHost("tank", Grid(100, 100))


def drag(host: FakeHost, *path: tuple[float, float]) -> bool:
    """Press, moves and release; whether a tool took it."""
    taken = host.lab.press(*path[0])
    for place in path[1:]:
        host.lab.drag(*place)
    host.lab.release()
    host.lab.update()
    return taken


def test_with_no_tool_a_press_is_left_to_the_poke(host: FakeHost) -> None:
    assert not drag(host, (50, 50))
    assert len(host.lab.history) == 0


def test_a_stroke_is_one_shape_and_one_undo(host: FakeHost) -> None:
    host.lab.tools.take("wall")
    assert drag(host, (20, 20), (50, 20), (80, 60))
    assert len(host.lab.setup.walls) == 1
    assert len(host.lab.history) == 1
    assert (host.simulation.inputs["speed"][20, 20:50] == 0).all()
    assert host.simulation.inputs["speed"][60, 80] == 0
    host.lab.undo()
    host.lab.update()
    assert (host.simulation.inputs["speed"] == 1).all()


def test_a_click_makes_a_dot_of_the_brush(host: FakeHost) -> None:
    host.lab.tools.take("wall")
    host.lab.tools.wall_width = 0.1
    drag(host, (50, 50))
    assert (host.simulation.inputs["speed"] == 0).sum() == pytest.approx(3.1416 * 25, rel=0.15)


def test_erasing_takes_away_what_it_touches(host: FakeHost) -> None:
    host.lab.tools.take("wall")
    drag(host, (20, 50), (80, 50))
    host.lab.tools.take("erase")
    drag(host, (50, 30), (50, 70))
    speed = host.simulation.inputs["speed"]
    assert speed[50, 50] == 1
    assert speed[50, 30] == 0
    assert host.lab.history.undo_label == "Erase walls"


def test_two_strokes_are_two_undos(host: FakeHost) -> None:
    host.lab.tools.take("wall")
    drag(host, (20, 20), (30, 20))
    drag(host, (20, 40), (30, 40))
    assert len(host.lab.setup.walls) == 2
    host.lab.undo()
    assert len(host.lab.setup.walls) == 1


def test_a_stroke_with_many_events_stays_short(host: FakeHost) -> None:
    host.lab.tools.take("wall")
    drag(host, *((20 + n / 100, 20 + n / 100) for n in range(3000)))
    stroke = host.lab.setup.walls[0]
    assert len(stroke.points) < 200
    assert (host.simulation.inputs["speed"][[30, 40], [30, 40]] == 0).all()


@pytest.mark.parametrize("kind", ["absorbing", "slow"])
def test_the_brush_draws_the_kind_in_hand(host: FakeHost, kind: str) -> None:
    host.lab.tools.take("wall")
    host.lab.tools.wall_kind = kind
    drag(host, (50, 50))
    assert host.lab.setup.walls[0].kind == kind


def test_a_source_is_placed_under_the_cursor_and_can_be_dragged_at_once(host: FakeHost) -> None:
    host.lab.tools.take("source")
    drag(host, (29.5, 49.5), (39.5, 59.5))
    source = host.lab.setup.sources[0]
    assert (source.x, source.y) == pytest.approx((0.4, 0.6))
    assert len(host.lab.history) == 1
    assert host.lab.tools.selected == ("source", source.uid)


def test_a_line_is_drawn_out_from_where_it_was_pressed(host: FakeHost) -> None:
    host.lab.tools.take("source")
    host.lab.tools.source = Source("line")
    drag(host, (9.5, 19.5), (9.5, 79.5))
    source = host.lab.setup.sources[0]
    assert (source.x, source.y, source.x2, source.y2) == pytest.approx((0.1, 0.2, 0.1, 0.8))


def test_an_object_is_taken_hold_of_with_any_pointing_tool(host: FakeHost) -> None:
    host.lab.edit(host.lab.setup.with_source(Source(x=0.5, y=0.5, uid=1)), "source")
    host.lab.seal()
    assert drag(host, (49, 50), (20, 30))
    assert len(host.lab.setup.sources) == 1
    assert host.lab.setup.sources[0].x == pytest.approx(0.205)
    host.lab.undo()
    assert host.lab.setup.sources[0].x == 0.5


def test_both_ends_of_a_line_can_be_dragged(host: FakeHost) -> None:
    host.lab.edit(host.lab.setup.with_source(Source("line", 0.2, 0.2, 0.8, 0.2, uid=1)), "line")
    drag(host, (79.5, 19.5), (79.5, 59.5))
    source = host.lab.setup.sources[0]
    assert (source.x, source.y) == (0.2, 0.2)
    assert (source.x2, source.y2) == pytest.approx((0.8, 0.6))


def test_a_brush_ignores_objects_under_it(host: FakeHost) -> None:
    host.lab.edit(host.lab.setup.with_source(Source(x=0.5, y=0.5, uid=1)), "source")
    host.lab.tools.take("wall")
    drag(host, (50, 50), (60, 60))
    assert host.lab.setup.sources[0].x == 0.5
    assert len(host.lab.setup.walls) == 1


def test_objects_stay_in_the_basin(host: FakeHost) -> None:
    host.lab.tools.take("probe")
    drag(host, (50, 50), (500, -300))
    probe = host.lab.setup.probes[0]
    assert (probe.x, probe.y) == (1.0, 0.0)


def test_no_more_are_placed_than_there_is_room_for(host: FakeHost) -> None:
    host.lab.tools.take("source")
    for n in range(MAX_SOURCES + 3):
        drag(host, (5 * n + 3, 90 - 4 * n))
    assert len(host.lab.setup.sources) == MAX_SOURCES
    assert "at most 16 sources" in host.lab.message
    host.lab.tools.take("probe")
    for n in range(10):
        drag(host, (95, 8 * n + 8))
    assert len(host.lab.setup.probes) == 8


def test_delete_takes_the_selected_one_and_undo_brings_it_back(host: FakeHost) -> None:
    host.lab.tools.take("probe")
    drag(host, (20, 20))
    host.lab.perform("delete")
    assert host.lab.setup.probes == ()
    assert host.lab.tools.delete_selected() is False
    host.lab.undo()
    assert len(host.lab.setup.probes) == 1


def test_deselecting_by_a_press_beside(host: FakeHost) -> None:
    host.lab.edit(host.lab.setup.with_source(Source(x=0.5, y=0.5, uid=1)), "source")
    host.lab.press(50, 50)
    host.lab.release()
    assert host.lab.tools.selected == ("source", 1)
    assert not host.lab.press(10, 10)
    assert host.lab.tools.selected is None


def test_taking_the_same_tool_again_puts_it_down(host: FakeHost) -> None:
    host.lab.perform("tool_wall")
    assert host.lab.tools.tool == "wall"
    host.lab.perform("tool_wall")
    assert host.lab.tools.tool == "poke"
    with pytest.raises(ValueError, match="give one of poke, wall"):
        host.lab.tools.take("saw")


@pytest.mark.parametrize(("tool", "radius"), [("poke", 5.0), ("wall", 1.5), ("source", 2.0), ("probe", 1.5)])
def test_the_ring_shows_what_the_tool_touches(host: FakeHost, tool: str, radius: float) -> None:
    if tool != "poke":
        host.lab.tools.take(tool)
    assert host.lab.hover_radius == pytest.approx(radius)


def test_brush_keys_scale_the_tool_in_hand(host: FakeHost) -> None:
    host.lab.perform("brush_larger")
    assert host.simulation.values["radius"] == pytest.approx(6.25)
    host.lab.perform("tool_wall")
    before = host.lab.hover_radius
    host.lab.perform("brush_smaller")
    assert host.lab.hover_radius < before
    assert host.simulation.values["radius"] == pytest.approx(6.25)


def test_losing_the_drag_halfway_leaves_a_whole_state(host: FakeHost) -> None:
    host.lab.tools.take("wall")
    host.lab.press(20, 20)
    host.lab.release()
    host.lab.drag(80, 80)
    assert len(host.lab.setup.walls[0].points) == 1


def test_undo_in_the_middle_of_a_drag_does_not_corrupt_it(host: FakeHost) -> None:
    host.lab.tools.take("source")
    host.lab.press(20, 20)
    host.lab.undo()
    host.lab.drag(50, 50)
    host.lab.release()
    assert host.lab.setup.sources == ()


def test_a_stroke_ends_where_another_document_is_opened(host: FakeHost) -> None:
    host.lab.tools.take("wall")
    host.lab.press(20, 20)
    host.lab.drag(40, 20)
    host.lab.open_preset(0)
    walls = host.lab.setup.walls
    host.lab.drag(80, 20)
    host.lab.release()
    assert host.lab.setup.walls == walls
