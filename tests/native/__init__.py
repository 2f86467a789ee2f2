"""Tests of the native library and its binding."""
