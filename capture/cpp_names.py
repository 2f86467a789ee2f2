"""Names in emitted C++."""

from __future__ import annotations

from . import ir
from .digest import short_digest

# Words that C++ and the emitter keep for themselves.
_WORDS = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class "
    "compl concept const constexpr const_cast continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int long mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast "
    "requires return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq linux unix wc interior setup thread bounds thread_c0 thread_c1 thread_c2 "
    "thread_c3 grid_row grid_column threadIdx blockIdx blockDim gridDim warpSize "
)
RESERVED = frozenset(_WORDS.split())


def identifier(name: str) -> str:
    """A Python name as a C++ one."""
    text = "".join(letter if letter.isascii() else f"u{ord(letter):x}" for letter in name)
    return f"{text}_py" if text in RESERVED or text.startswith("WC_") else text


def function_name(function: ir.Function) -> str:
    return f"{identifier(function.name)}_{short_digest(repr(function), 8)}"
