// Where sunlight that enters the water at each point lands, and how much it has spread.
#version 330 core
#include "scene.glsl"
#include "surface.glsl"
uniform ivec2 lines;
out float spread;

const float WATER_INDEX = 1.333;

// Offset on the floor of the beam that enters at `cell`, against the beam through still water.
vec2 displacement(vec2 cell) {
    vec4 wave = slope_bilinear(cell);
    vec3 normal = normalize(vec3(-wave.y * grid.w, 1.0, -wave.z * grid.w));
    vec3 beam = refract(-sun.xyz, normal, 1.0 / WATER_INDEX);
    vec3 still = refract(-sun.xyz, vec3(0, 1, 0), 1.0 / WATER_INDEX);
    float depth = basin.y + wave.x * grid.w;
    return beam.xz / -beam.y * depth - still.xz / -still.y * basin.y;
}

void main() {
    ivec2 line = ivec2(gl_VertexID >> 1, gl_InstanceID + (gl_VertexID & 1));
    vec2 cell = vec2(line) / vec2(lines - 1) * grid.xy - 0.5;
    vec2 moved = displacement(cell);
    vec2 gap = 0.75 * max(grid.xy / vec2(lines), 1.0);
    vec2 along_x = (displacement(cell + vec2(gap.x, 0)) - displacement(cell - vec2(gap.x, 0))) / (2.0 * gap.x * grid.z);
    vec2 along_z = (displacement(cell + vec2(0, gap.y)) - displacement(cell - vec2(0, gap.y))) / (2.0 * gap.y * grid.z);
    spread = (1.0 + along_x.x) * (1.0 + along_z.y) - along_x.y * along_z.x;
    gl_Position = vec4((world_of_cell(cell) + moved) / basin.xz, 0.0, 1.0);
}
