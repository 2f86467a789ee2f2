// Wall cells as solid material: a second height surface that stands out of the water.
#version 330 core
#include "scene.glsl"
#include "surface.glsl"
uniform ivec2 lines;
uniform float top;
uniform float bottom;
out vec2 cell;
out vec3 world;
out float solid;

void main() {
    ivec2 line = ivec2(gl_VertexID >> 1, gl_InstanceID + (gl_VertexID & 1));
    cell = vec2(line) / vec2(lines - 1) * grid.xy - 0.5;
    solid = smoothstep(0.25, 0.75, slope_smooth(cell).w);
    vec2 level = world_of_cell(cell);
    world = vec3(level.x, mix(bottom, top, solid), level.y);
    gl_Position = view_projection * vec4(world, 1.0);
}
