// Stone in the sun: the basin's rim, and a deck that fades into the haze.
#version 330 core
#include "scene.glsl"
#include "colour.glsl"
#include "sky.glsl"
in vec3 world;
in vec3 normal;
out vec4 colour;

uniform sampler2D stone;  // colours as square roots of linear light
uniform sampler2D sky_map;
uniform float stone_size;
uniform float rim_width;

void main() {
    vec3 facing = normalize(normal);
    vec2 outside = max(abs(world.xz) - basin.xz, 0.0);
    float from_edge = length(outside);
    vec3 root = texture(stone, world.xz / stone_size).rgb;
    // The rim is one smooth, lighter piece; where it meets the deck little light gets in.
    float beyond = max(outside.x, outside.y) - rim_width;
    float on_rim = 1.0 - smoothstep(0.0, 0.04 * rim_width, beyond);
    vec3 albedo = mix(root * root, vec3(0.50, 0.465, 0.41), on_rim);
    float access = 1.0 - 0.45 * exp(-abs(beyond) / (0.18 * rim_width)) * (1.0 - 0.6 * on_rim);
    vec3 light = albedo * (sky_light.rgb * (0.7 + 0.3 * facing.y) * access
                           + sun_light.rgb * max(dot(facing, sun.xyz), 0.0) * mix(access, 1.0, 0.4));

    float haze = 1.0 - exp(-from_edge / horizon.w);
    vec3 direction = world - eye.xyz;
    vec3 far = textureLod(sky_map, sky_map_position(normalize(vec3(direction.x, 0.02 * length(direction.xz), direction.z))), 2.0).rgb;
    colour = vec4(to_screen(mix(light, far, haze), sun_light.w), 1.0);
}
