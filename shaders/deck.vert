// The stone around the basin.
#version 330 core
#include "scene.glsl"
in vec3 in_position;
in vec3 in_normal;
out vec3 world;
out vec3 normal;

void main() {
    world = in_position;
    normal = in_normal;
    gl_Position = view_projection * vec4(world, 1.0);
}
