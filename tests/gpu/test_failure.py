"""Kernels that lose the GPU's context: reported once with the cause, and the application goes on with the CPU.

Each test has a process of its own, and they run after all others: a page fault may leave the card unable to draw for
other programs until it is reset (driver 580 on an H200: Xid 31, then Xid 109 "CTX SWITCH TIMEOUT").
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import conftest, numpy as np
from whitecap import _native
from whitecap.app.arguments import parse
from whitecap.app.gl_context import GLUnavailable
from whitecap.app.offscreen import OffscreenSession
from whitecap.capture.cuda_compile import compile_cuda

def lose_the_gpu(how):
    target = f"sm_{_native.cuda_devices()[0]['arch']}"
    recording = conftest.Recording()
    y = recording.array(8, name="y", output=True)
    recording.launch(how, y, y, 1.0)
    image = compile_cuda(conftest.SOURCE, "m", target)
    program = _native.Program(recording.capture(target), {target: image}, device="cuda")
    program.launch()
    return program

try:
    opened = OffscreenSession(parse(["--offscreen", "--size", "480x320", "--backend", sys.argv[2], *sys.argv[4:]])[1])
except GLUnavailable as error:
    print(json.dumps({"skip": str(error)}))
    sys.exit()
with opened as session:
    application = session.application
    for _ in range(100):
        session.frame()
    waves = np.abs(application.simulation.heights()).max()
    good = application.lab.rescue.good.fields["heights"].copy()
    inputs = {name: application.simulation.input_bytes(name) for name in ("speed", "edges")
              if application.simulation.has_input(name)}
    lost = lose_the_gpu(sys.argv[3])
    session.frame()
    simulation, first = application.simulation, session.pixels().astype(int)
    report = {
        "rung": application.backend.rung, "device": simulation.device, "waves": float(waves),
        "kept": bool(np.array_equal(simulation.heights(), good)), "highest": float(np.abs(good).max()),
    }
    for _ in range(30):
        session.frame()
    application.recapture(simulation.grid.with_(substeps=20))
    application.swap.wait()
    session.frame()
    report |= {
        "frames": application.simulation.frames, "substeps": application.simulation.grid.substeps,
        "inputs": all(np.array_equal(application.simulation.input_bytes(name), data) for name, data in inputs.items()),
        "finite": bool(np.isfinite(application.simulation.heights()).all()),
        "moved": int(np.abs(session.pixels().astype(int) - first).max()), "contrast": float(first.std()),
        "errors": [[entry.text, entry.count] for entry in application.errors.entries],
    }
print(json.dumps(report))
"""


REPORT = """
import sys
sys.path.insert(0, sys.argv[1])
import conftest, numpy as np
from whitecap import _native
from whitecap.capture.cuda_compile import compile_cuda
target = f"sm_{_native.cuda_devices()[0]['arch']}"
recording = conftest.Recording()
y = recording.array(8, name="y", output=True)
recording.launch(sys.argv[2], y, y, 1.0)
image = compile_cuda(conftest.SOURCE, "m", target)
program = _native.Program(recording.capture(target), {target: image}, device="cuda")
program.launch()
for attempt in range(2):
    try:
        program.synchronize()
    except _native.NativeError as error:
        print(error.code, error)
"""


def run(program, *arguments):
    command = [sys.executable, "-c", program, str(Path(__file__).parent), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@pytest.mark.parametrize("scene", [[], ["--preset", "double-slit"]], ids=["wave", "tank"])
@pytest.mark.parametrize("rung", ["cuda-interop", "cuda-copy"])
def test_a_lost_gpu_is_left_for_the_cpu_with_the_last_known_waves(tmp_path, monkeypatch, rung, scene):
    monkeypatch.setenv("WHITECAP_CACHE_DIR", str(tmp_path))
    check_fallback(rung, "trap", "CUDA_ERROR_LAUNCH_FAILED", *scene)


def test_a_kernel_that_stops_is_reported_with_its_cause_and_ends_no_process():
    check_report("trap", "CUDA_ERROR_LAUNCH_FAILED")


def test_a_kernel_that_leaves_its_arrays_is_reported_with_its_cause_and_ends_no_process():
    check_report("crash", "CUDA_ERROR_ILLEGAL_ADDRESS")


def check_fallback(rung, how, cause, *scene):
    pytest.importorskip("imgui_bundle")
    report = json.loads(run(PROGRAM, rung, how, *scene)[-1])
    if "skip" in report:
        pytest.skip(report["skip"])
    assert (report["rung"], report["device"]) == ("cpu", "cpu")
    assert report["kept"]
    assert report["highest"] > 0.2 * report["waves"] > 0
    assert report["frames"] >= 30
    assert report["substeps"] == 20
    assert report["inputs"]
    assert report["finite"]
    assert report["contrast"] > 5
    assert report["moved"] > 10
    ((text, count),) = report["errors"]
    assert "the CPU goes on" in text
    assert cause in text
    assert count == 1


def check_report(how, cause):
    first, second = run(REPORT, how)
    assert first.startswith("WC_ERROR_CUDA")
    assert cause in first
    assert second.startswith("WC_ERROR_STATE")
    assert "stopped earlier" in second
