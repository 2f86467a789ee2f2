// The sky behind everything, with the sun's disc.
#version 330 core
#include "scene.glsl"
#include "colour.glsl"
#include "sky.glsl"
in vec2 corner;
out vec4 colour;

uniform sampler2D sky_map;

void main() {
    vec4 far = inverse_view_projection * vec4(corner, 1.0, 1.0);
    vec3 direction = normalize(far.xyz / far.w - eye.xyz);
    vec3 light = textureLod(sky_map, sky_map_position(direction), 0.0).rgb;
    float disc = smoothstep(0.99975, 0.99992, dot(direction, sun.xyz));
    light += sun.w * disc * 12.0 * sun_light.rgb;
    colour = vec4(to_screen(light, sun_light.w), 1.0);
}
