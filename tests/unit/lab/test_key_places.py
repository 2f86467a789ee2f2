"""Shortcuts on keyboards without Latin letters: keys stand for what a US keyboard has at their place."""

from __future__ import annotations

import pytest
from whitecap.app.lab.key_places import letter_at, sign_at
from whitecap.app.lab.keys import KEYS

# Linux's key codes (linux/input-event-codes.h), to which X11 adds 8.
LINUX = {"Q": 16, "W": 17, "P": 25, "A": 30, "S": 31, "L": 38, "Z": 44, "M": 50, "[": 26, "]": 27, ",": 51, ".": 52}
LINUX |= {"/": 53, "-": 12, "=": 13, "1": 2, "0": 11}


@pytest.mark.parametrize("letter", [sign for sign in LINUX if sign.isalpha()])
def test_a_place_has_the_letter_of_a_us_keyboard(letter: str) -> None:
    assert letter_at(LINUX[letter] + 8) == letter
    assert sign_at(LINUX[letter] + 8, "ц", False) == ""


@pytest.mark.parametrize("sign", [sign for sign in LINUX if not sign.isalpha()])
def test_a_place_has_the_sign_of_a_us_keyboard(sign: str) -> None:
    assert letter_at(LINUX[sign] + 8) == ""
    assert sign_at(LINUX[sign] + 8, "х", False) == sign


def test_every_letter_and_sign_of_the_key_table_has_a_place() -> None:
    letters = {letter_at(place) for place in range(256)}
    signs = {sign_at(place, "х", shift) for place in range(256) for shift in (False, True)}
    assert {a.key for a in KEYS if len(a.key) == 1} <= letters
    assert {a.text for a in KEYS if a.text} <= signs


@pytest.mark.parametrize(("place", "typed"), [(34, "ü"), (20, "ß"), (11, "é"), (35, "å"), (34, "["), (61, "-")])
def test_latin_keyboards_have_their_signs_where_they_are_printed(place: int, typed: str) -> None:
    assert sign_at(place, typed, False) == ""


@pytest.mark.parametrize("place", [0, 9, 23, 36, 92, 255])
def test_other_keys_stand_for_nothing(place: int) -> None:
    assert letter_at(place) == ""
    assert sign_at(place, "х", False) == ""
