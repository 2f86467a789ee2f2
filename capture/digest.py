"""Digests of text: what names modules, kernels and struct layouts."""

from __future__ import annotations

import hashlib


def full_digest(text: str) -> str:
    """64 lowercase hex digits (SHA-256)."""
    return hashlib.sha256(text.encode()).hexdigest()


def short_digest(text: str, digits: int) -> str:
    return full_digest(text)[:digits]
