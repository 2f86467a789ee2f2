"""A fake CUDA driver for this folder's tests.

The library loads its driver once a process, so these tests run in a child process that has the fake one in its
environment; the parent shows the child's results as its own.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DRIVER_VARIABLE = "WHITECAP_CUDA_DRIVER"
IN_CHILD = "fake_cuda" in os.environ.get(DRIVER_VARIABLE, "")


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fake driver, compiled."""
    if IN_CHILD:
        return Path(os.environ[DRIVER_VARIABLE])
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("the fake CUDA driver needs a C++ compiler")
    library = tmp_path_factory.mktemp("fake") / "libfake_cuda.so"
    command = [compiler, "-std=c++17", "-shared", "-fPIC", str(HERE / "fake_driver.cpp"), "-o", str(library)]
    subprocess.run(command, check=True)
    return library


@pytest.fixture(scope="session")
def child_results(fake_library: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    """Name of each test -> what went wrong in the child, or None."""
    if IN_CHILD:
        return {}
    report = tmp_path_factory.mktemp("report") / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", str(HERE)]
    environment = {**os.environ, DRIVER_VARIABLE: str(fake_library)}
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if not report.exists():
        pytest.fail(f"the child process failed:\n{child.stdout}{child.stderr}")
    cases = xml.parse(report).getroot().iter("testcase")
    return {case.get("name", ""): "".join(part.text or "" for part in _problems(case)) or None for case in cases}


def _problems(case: xml.Element) -> list[xml.Element]:
    return [*case.iter("failure"), *case.iter("error")]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if IN_CHILD or "in_child" not in pyfuncitem.fixturenames:
        return None
    results = pyfuncitem.funcargs["child_results"]
    if pyfuncitem.name not in results:
        pytest.fail("the child process did not run this test; it may have crashed", pytrace=False)
    if results[pyfuncitem.name]:
        pytest.fail(results[pyfuncitem.name], pytrace=False)
    return True


@pytest.fixture
def in_child(child_results: dict[str, str | None]) -> None:
    """The test runs in the child process."""


class FakeCuda:
    """The test's side of the fake driver."""

    CALLBACK = ctypes.CFUNCTYPE(
        None,
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(ctypes.c_uint * 3),
        ctypes.POINTER(ctypes.c_uint * 3),
    )

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        for name in ("fake_live", "fake_graph"):
            getattr(self._library, name).restype = ctypes.c_char_p
        self._library.fake_graph.argtypes = [ctypes.c_void_p]
        self._library.fake_capacity.argtypes = [ctypes.c_size_t]
        self._library.fake_begin_capture.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._created: list[tuple[str, int]] = []
        self.kernels: dict[str, object] = {}
        self.launched: list[str] = []
        self._callback = self.CALLBACK(self._run)
        self._library.fake_on_kernel(self._callback)

    def _run(self, name: bytes, arguments: object, grid: object, block: object) -> None:
        self.launched.append(name.decode())
        kernel = self.kernels.get(name.decode())
        if callable(kernel):
            kernel(arguments)

    def fail(self, call: str, error: int, nth: int = 1) -> None:
        """Makes the nth call from now fail with a CUresult."""
        self._library.fake_fail(call.encode(), nth, error)

    def heal(self) -> None:
        self._library.fake_heal()
        self._library.fake_capacity(1 << 30)

    def capacity(self, size: int) -> None:
        self._library.fake_capacity(size)

    def calls(self, name: str) -> int:
        return int(self._library.fake_calls(name.encode()))

    def live(self) -> str:
        """Driver objects that are alive; "" when every one is gone."""
        return self._library.fake_live().decode()

    def context_depth(self) -> int:
        return int(self._library.fake_context_depth())

    def graph(self, handle: int) -> list[str]:
        """One line a node: index, what it does, the nodes it comes after ("p" marks a programmatic edge)."""
        return self._library.fake_graph(handle).decode().splitlines()

    def new_stream(self) -> int:
        return self._create("cuStreamCreate")

    def new_graph(self) -> int:
        return self._create("cuGraphCreate")

    def begin_capture(self, stream: int, graph: int) -> None:
        self._library.fake_begin_capture(stream, graph)

    def _create(self, call: str) -> int:
        # The fake wants a current context, as the real driver does.
        self._library.cuCtxPushCurrent_v2(ctypes.c_void_p(1))
        handle = ctypes.c_void_p()
        getattr(self._library, call)(ctypes.byref(handle), 0)
        self._library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
        self._created.append((call.replace("Create", "Destroy"), handle.value or 0))
        return handle.value or 0

    def close(self) -> None:
        """Destroys what the test created, and forgets its kernels, which may hold programs."""
        self.heal()
        self.kernels.clear()
        for call, handle in self._created:
            getattr(self._library, {"cuStreamDestroy": "cuStreamDestroy_v2"}.get(call, call))(ctypes.c_void_p(handle))


@pytest.fixture
def fake(in_child: None, fake_library: Path) -> FakeCuda:
    """A fresh view of the fake driver; the test fails when it leaves a driver object or a context behind."""
    cuda = FakeCuda(fake_library)
    cuda.heal()
    yield cuda
    cuda.close()
    gc.collect()
    assert cuda.live() == ""
    assert cuda.context_depth() == 0
