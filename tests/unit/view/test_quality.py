"""The quality ladder: steps down when slow, up when there is room, and does not swing."""

from __future__ import annotations

from itertools import pairwise

from whitecap.app.view.quality import LADDER, Quality

SLOW, FAST = 1 / 18, 1 / 40


def frames(quality: Quality, seconds: float, count: int) -> None:
    for _ in range(count):
        quality.observe(seconds)


def test_everything_is_drawn_at_first() -> None:
    assert Quality().rung == LADDER[0]
    assert Quality().dropped == []


def test_slow_frames_go_down_to_the_last_rung_and_no_further() -> None:
    quality = Quality()
    frames(quality, 2 * SLOW, 500)
    assert quality.rung == LADDER[-1]


def test_one_slow_frame_changes_nothing() -> None:
    quality = Quality()
    for _ in range(50):
        quality.observe(10 * SLOW)
        frames(quality, 0.9 * SLOW, 9)
    assert quality.rung == LADDER[0]


def test_a_time_between_the_thresholds_keeps_the_rung() -> None:
    quality = Quality()
    quality.reset(2)
    frames(quality, (SLOW + FAST) / 2, 1000)
    assert quality.rung == LADDER[2]


def test_fast_frames_climb_back() -> None:
    quality = Quality()
    quality.reset(len(LADDER) - 1)
    frames(quality, 0.5 * FAST, 2000)
    assert quality.rung == LADDER[0]


def test_a_rung_that_is_too_slow_is_tried_less_and_less_often() -> None:
    quality = Quality()
    quality.reset(1)
    visits = []
    for frame in range(6000):
        slow = quality.rung == LADDER[0]
        if slow:
            visits.append(frame)
        quality.observe(2 * SLOW if slow else 0.5 * FAST)
    starts = [frame for frame, before in zip(visits[1:], visits) if frame != before + 1]
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert gaps
    assert gaps == sorted(gaps)
    assert gaps[-1] >= 2 * gaps[0]


def test_each_rung_drops_what_the_one_above_dropped() -> None:
    for upper, lower in pairwise(LADDER):
        assert lower.resolution <= upper.resolution
        assert all(getattr(upper, layer) or not getattr(lower, layer) for layer in ("samples", "smooth", "caustics"))
        assert lower.text


def test_what_is_dropped_is_said_once() -> None:
    quality = Quality()
    quality.reset(len(LADDER) - 1)
    texts = quality.dropped
    assert "multisampling" in texts
    assert [text for text in texts if text.endswith("resolution")] == ["half of the resolution"]
