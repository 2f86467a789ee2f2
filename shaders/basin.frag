// Tiled walls and floor: dry above the waterline, seen through water below it. Define: CAUSTICS.
#version 330 core
#include "scene.glsl"
#include "colour.glsl"
#include "surface.glsl"
#include "basin.glsl"
in vec3 world;
in vec3 normal;
out vec4 colour;

// Sunlight on a wall above the water ends where the opposite rim throws its shadow.
float lit_by_sun(vec3 at, vec3 facing) {
    vec2 over_rim = at.xz + max(basin.w - at.y, 0.0) * sun.xz / sun.y;
    vec2 edge = basin.xz - abs(over_rim) + 0.02;
    return smoothstep(0.0, 0.03, min(edge.x, edge.y)) * max(dot(facing, sun.xyz), 0.0);
}

void main() {
    vec3 toward_eye = eye.xyz - world;
    float eye_distance = length(toward_eye);
    vec3 view = toward_eye / eye_distance;
    float footprint = eye_distance * eye.w * inversesqrt(max(abs(dot(view, normal)), 0.15));
    vec3 albedo = basin_colour(world, normal, footprint);
    float level = slope_bilinear(cell_of_world(world.xz)).x * grid.w;
    float above = world.y - level;

    vec3 out_normal;
    float way = box_exit(world, view, level, out_normal);
    vec3 wet = through_water(albedo * light_under_water(world, normal), way);
    // Tiles stay dark for a hand's breadth above the water, and its edge catches the sky.
    float dry = mix(0.55, 1.0, smoothstep(0.0, 0.12, above));
    vec3 light = albedo * dry * (0.62 * sky_light.rgb + sun_light.rgb * lit_by_sun(world, normal));
    light = mix(wet, light, smoothstep(-footprint, footprint, above));
    light += 0.12 * exp(-abs(above) / (1.5 * footprint + 0.006)) * sky_light.rgb;
    colour = vec4(to_screen(light, sun_light.w), 1.0);
}
