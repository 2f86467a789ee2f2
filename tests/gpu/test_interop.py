"""Heights into an OpenGL buffer: both rungs of the ladder, what they refuse, and what a frame costs the CPU."""

from __future__ import annotations

import time

import numpy as np
import pytest
from whitecap import _native
from whitecap.capture import cuda_interop
from whitecap.capture.cuda_interop import InteropError


@pytest.fixture
def gl():
    moderngl = pytest.importorskip("moderngl")
    index = cuda_interop.egl_device_index(0)
    try:
        context = moderngl.create_context(standalone=True, require=330, backend="egl", device_index=index or 0)
    except Exception as error:
        pytest.skip(f"no OpenGL through EGL: {error}")
    yield context
    context.release()


@pytest.fixture
def counting(recording, program):
    """A program whose "out" grows by one a launch."""
    out, zero = recording.array(300, 200, name="out", output=True), recording.array(300, 200)
    recording.launch("add", out, zero, 1.0)
    return program(recording)


SIZE = 300 * 200 * 4


def test_egl_names_the_cuda_device(gl):
    assert cuda_interop.egl_device_index(0) is not None
    assert cuda_interop.gl_ordinals() == [0]


def test_the_gl_buffer_holds_what_was_computed(gl, counting):
    buffer = gl.buffer(reserve=SIZE)
    shared = cuda_interop.register(buffer.glo, SIZE)
    for expected in (1.0, 2.0, 3.0):
        counting.launch()
        shared.copy_from(counting, "out")
        assert set(np.frombuffer(buffer.read(), np.float32)) == {expected}
    shared.close()
    shared.close()
    assert shared.kind == "interop"


def test_the_pinned_copy_holds_the_same(gl, counting):
    buffer = gl.buffer(reserve=SIZE)
    pinned = cuda_interop.pinned(buffer.write, SIZE)
    counting.launch(5)
    pinned.copy_from(counting, "out")
    assert set(np.frombuffer(buffer.read(), np.float32)) == {5.0}
    assert pinned.kind == "pinned"
    pinned.close()


def test_a_buffer_that_does_not_exist_is_refused_and_cuda_stays_usable(gl, counting):
    with pytest.raises(InteropError) as refusal:
        cuda_interop.register(123456, SIZE)
    assert refusal.value.reason
    assert refusal.value.remedy
    counting.launch()
    counting.synchronize()


def test_after_the_opengl_context_is_gone_the_remedy_is_named(gl, counting):
    gl.release()
    with pytest.raises(InteropError) as refusal:
        cuda_interop.register(1, SIZE)
    assert refusal.value.remedy
    counting.launch()
    counting.synchronize()


def test_another_size_is_refused(gl, counting):
    buffer = gl.buffer(reserve=SIZE * 2)
    shared = cuda_interop.register(buffer.glo, SIZE * 2)
    with pytest.raises(ValueError, match="after a resize"):
        shared.copy_from(counting, "out")
    shared.close()


def test_a_buffer_smaller_than_the_copy_is_refused_and_stays_usable(gl, counting):
    buffer = gl.buffer(reserve=SIZE)
    native = _native.CudaGLBuffer(buffer.glo)
    with pytest.raises(_native.NativeError, match="room for"):
        native.copy_from(counting.parameter_pointer("out"), SIZE * 2, counting.stream)
    native.copy_from(counting.parameter_pointer("out"), SIZE, counting.stream)


def test_a_closed_buffer_is_refused(gl, counting):
    buffer = gl.buffer(reserve=SIZE)
    for closed in (cuda_interop.register(buffer.glo, SIZE), cuda_interop.pinned(buffer.write, SIZE)):
        closed.close()
        with pytest.raises(ValueError, match="closed"):
            closed.copy_from(counting, "out")


def test_many_registrations_leave_nothing_behind(gl):
    buffer = gl.buffer(reserve=SIZE)
    cuda_interop.register(buffer.glo, SIZE).close()
    before = _native.cuda_memory_info()[0]
    for _ in range(200):
        cuda_interop.register(buffer.glo, SIZE).close()
    assert before - _native.cuda_memory_info()[0] <= 2 << 20


@pytest.mark.parametrize("cells", [128, 1024, 4096])
def test_what_a_frame_costs_the_cpu(gl, new_recording, program, capsys, cells):
    recording = new_recording()
    out = recording.array(cells, cells, name="out", output=True)
    recording.recorder.memset(out.ctypes.data, 1, 4)
    made, size = program(recording), out.nbytes
    buffer = gl.buffer(reserve=size)
    shared, pinned = cuda_interop.register(buffer.glo, size), cuda_interop.pinned(buffer.write, size)
    times: dict[str, list[float]] = {"interop": [], "pinned": []}
    for rung in (shared, pinned):
        for _ in range(60):
            made.launch()
            made.synchronize()
            start = time.perf_counter()
            rung.copy_from(made, "out")
            times[rung.kind].append((time.perf_counter() - start) * 1e6)
    medians = {kind: sorted(values)[len(values) // 2] for kind, values in times.items()}
    with capsys.disabled():
        print(f"\n  {cells} x {cells}: interop {medians['interop']:.1f} us, pinned {medians['pinned']:.1f} us", end=" ")
    shared.close()
    assert set(np.frombuffer(buffer.read(16), np.uint8)) == {1, 0}
