"""Every test works on folders of its own, never on the user's cache and settings."""

import pytest


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory, monkeypatch):
    # One cache for the whole run: captures are shared, and tests that damage them use a folder of their own.
    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("WHITECAP_CONFIG_DIR", str(tmp_path_factory.mktemp("config")))
    monkeypatch.delenv("DISPLAY", raising=False)
