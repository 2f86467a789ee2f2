"""Run under Warp: loads a CPU capture with Warp's own loader, sets an input, replays, saves an output.

arguments: file, frames, input name, input .npy, output name, output .npy
"""

import sys

import numpy as np
import warp as wp

path, frames, input_name, input_file, output_name, output_file = sys.argv[1:]
wp.config.quiet = True
wp.init()
graph = wp.capture_load(path, device="cpu")
graph.set_param(input_name, wp.array(np.load(input_file), device="cpu"))
for _ in range(int(frames)):
    wp.capture_launch(graph)
out = wp.zeros(graph.params[output_name]["size"] // 4, dtype=float, device="cpu")
graph.get_param(output_name, out)
np.save(output_file, out.numpy())
print(sorted(graph.params.items()))
