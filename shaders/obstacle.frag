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

float smooth_mask(vec2 off) { return slope_smooth(cell + off).w; }

// Up, or aside the way the outline runs: the triangles of a slanting side turn to and fro.
vec3 facing() {
    vec3 triangle = normalize(cross(dFdx(world), dFdy(world)));
    float up = smoothstep(0.5, 0.9, abs(triangle.y));
    if (up == 1.0) return vec3(0, 1, 0);
    vec2 outward = vec2(smooth_mask(vec2(-1, 0)) - smooth_mask(vec2(1, 0)),
                        smooth_mask(vec2(0, -1)) - smooth_mask(vec2(0, 1)));
    vec2 aside = outward / max(length(outward), 1e-3) * (1.0 - up);
    return normalize(vec3(aside.x, up + 1e-3, aside.y));
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
