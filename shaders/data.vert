// The surface as data: the same mesh as the water's.
#version 330 core
#include "scene.glsl"
#include "surface.glsl"
#include "grid.glsl"
uniform ivec2 lines;
uniform int stride;
out vec2 cell;
out vec3 world;

void main() {
    cell = grid_vertex(lines, stride);
    vec2 level = world_of_cell(cell);
    world = vec3(level.x, height_at_vertex(cell) * grid.w, level.y);
    gl_Position = view_projection * vec4(world, 1.0);
}
