"""Run under Warp: records CPU captures of several kinds into a folder, with what they compute as .npy.

arguments: folder
"""

import pathlib
import sys

import numpy as np
import warp as wp

folder = pathlib.Path(sys.argv[1])
wp.config.quiet = True
wp.init()


@wp.struct
class Weights:
    scale: float
    data: wp.array(dtype=float)
    offset: wp.vec3


@wp.kernel
def axpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = y[i] + a * x[i]


@wp.kernel
def weighted(w: Weights, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = w.data[i] * w.scale + w.offset[1]


@wp.kernel
def cells(a: wp.array4d(dtype=int)):
    i, j, k, m = wp.tid()
    a[i, j, k, m] = a[i, j, k, m] + i + 10 * j + 100 * k + 1000 * m


@wp.kernel
def count_down(counter: wp.array(dtype=int), steps: wp.array(dtype=int)):
    counter[0] = counter[0] - 1
    steps[0] = steps[0] + 1


def save(graph, name, inputs, outputs):
    wp.capture_save(graph, str(folder / name), inputs=inputs, outputs=outputs)


with wp.ScopedDevice("cpu"):
    x, y = wp.array(np.arange(4, dtype=np.float32)), wp.ones(4)
    with wp.ScopedCapture(apic=True) as capture:
        wp.launch(axpy, 4, inputs=[2.0, x, y])
    save(capture.graph, "axpy", {"x": x}, {"y": y})

    w = Weights()
    w.scale, w.data, w.offset = 3.0, x, wp.vec3(0.0, 5.0, 0.0)
    with wp.ScopedCapture(apic=True) as capture:
        wp.launch(weighted, 4, inputs=[w, y])
    save(capture.graph, "struct", {"x": x}, {"y": y})

    a = wp.zeros((2, 3, 4, 5), dtype=int)
    with wp.ScopedCapture(apic=True) as capture:
        wp.launch(cells, (2, 3, 4, 5), inputs=[a])
    save(capture.graph, "cells", {}, {"a": a})

    source, target = wp.array(np.arange(8, dtype=np.float32)), wp.zeros(8)
    with wp.ScopedCapture(apic=True) as capture:
        target.zero_()
        target.fill_(2.5)
        wp.copy(target, source, count=3)
    save(capture.graph, "memory", {"source": source}, {"target": target})

    counter, steps = wp.array([4], dtype=int), wp.zeros(1, dtype=int)
    with wp.ScopedCapture(apic=True) as capture:
        wp.capture_while(counter, lambda: wp.launch(count_down, 1, inputs=[counter, steps]))
        wp.capture_if(steps, on_true=lambda: wp.launch(count_down, 1, inputs=[counter, steps]))
    save(capture.graph, "branches", {"counter": counter}, {"steps": steps})
