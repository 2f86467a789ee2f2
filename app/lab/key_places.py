"""What a US keyboard has at each place, for layouts without Latin letters: `W` is where a US keyboard has it.

Places are the numbers that X11 gives to keys, the same on every PC keyboard whatever its layout.
"""

from __future__ import annotations

import unicodedata

_ROWS = {10: "1234567890-=", 24: "QWERTYUIOP[]", 38: "ASDFGHJKL;'", 52: "ZXCVBNM,./"}
_US = {first + n: sign for first, row in _ROWS.items() for n, sign in enumerate(row)}
_WITH_SHIFT = {"=": "+", "/": "?"}


def letter_at(place: int) -> str:
    """The letter, upper case, that a US keyboard has there; empty where it has none."""
    sign = _US.get(place, "")
    return sign if sign.isalpha() else ""


def sign_at(place: int, typed: str, shift: bool) -> str:
    """The digit or sign that a US keyboard has where `typed` came from; empty where it has none.

    Latin letters and all that ASCII has stand for themselves: those keyboards have their signs elsewhere.
    """
    if typed.isascii() or any(unicodedata.name(character, "").startswith("LATIN ") for character in typed):
        return ""
    sign = _US.get(place, "")
    if shift:
        return _WITH_SHIFT.get(sign, "")
    return "" if sign.isalpha() else sign
