// Obstacles: smooth pale concrete, darker where the water wets it; plain grey in the data view.
#version 330 core
#include "scene.glsl"
#include "colour.glsl"
#include "surface.glsl"
#include "ring.glsl"
in vec2 cell;
in vec3 world;
in float solid;
out vec4 colour;

uniform bool plain;
uniform float top;

vec3 facing() {
    vec3 normal = cross(dFdx(world), dFdy(world));
    return normalize(normal.y < 0.0 ? -normal : normal);
}

void main() {
    vec3 normal = facing();
    if (solid <= 0.0) discard;
    float level = slope_bilinear(cell).x * grid.w;
    if (plain) {
        if (world.y < level) discard;
        colour = vec4(with_ring(vec3(0.42) * (0.75 + 0.25 * normal.y), world.xz), 1.0);
        return;
    }
    float dry = mix(0.6, 1.0, smoothstep(0.0, 0.1, world.y - level));
    vec3 albedo = vec3(0.66, 0.64, 0.60) * dry;
    vec3 light = albedo * (sky_light.rgb * (0.6 + 0.4 * normal.y) + sun_light.rgb * max(dot(normal, sun.xyz), 0.0));
    colour = vec4(with_ring(to_screen(light, sun_light.w), world.xz), 1.0);
}
