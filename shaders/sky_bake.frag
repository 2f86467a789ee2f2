// Paints the sky map: gradient, glow around the sun and thin clouds. Runs only when the sun moves.
#version 330 core
#include "sky.glsl"
in vec2 corner;
out vec4 light;

uniform vec3 zenith;
uniform vec3 haze;
uniform vec3 glow;
uniform vec3 sun_direction;
uniform float clouds;

float hash(vec2 p) {
    vec3 q = fract(vec3(p.xyx) * 0.1031);
    q += dot(q, q.yzx + 33.33);
    return fract((q.x + q.y) * q.z);
}

float noise(vec2 p) {
    vec2 i = floor(p);
    vec2 f = p - i;
    f = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
}

float turbulence(vec2 p) {
    float sum = 0.0;
    float weight = 0.5;
    for (int octave = 0; octave < 6; ++octave) {
        sum += weight * noise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p + 17.3;
        weight *= 0.5;
    }
    return sum;
}

vec3 direction_of_map(vec2 position) {
    vec2 p = (position - 0.5) / SKY_SCALE;
    float r2 = dot(p, p);
    return vec3(2.0 * p.x, 1.0 - r2, 2.0 * p.y) / (1.0 + r2);
}

void main() {
    vec3 direction = direction_of_map(0.5 * corner + 0.5);
    float up = max(direction.y, 0.0);
    float toward_sun = max(dot(direction, sun_direction), 0.0);

    vec3 sky = mix(haze, zenith, 1.0 - exp(-3.4 * up));
    sky += glow * (0.22 * pow(toward_sun, 6.0) + 0.9 * pow(toward_sun, 90.0));

    // Clouds lie on a level layer; toward the horizon they thin out into the haze.
    vec2 layer = direction.xz / (up + 0.12);
    float shape = turbulence(layer * vec2(0.9, 1.25) + 3.7 + 0.6 * turbulence(layer * 0.7));
    float cover = smoothstep(0.44, 0.74, shape) * smoothstep(0.0, 0.22, up) * clouds;
    float thickness = smoothstep(0.5, 0.95, shape);
    vec3 lit = 0.55 * haze + 0.45 * dot(haze, vec3(0.4));
    vec3 cloud = mix(1.35 * lit, 0.7 * lit + 0.3 * zenith, 0.5 * thickness) + glow * (0.25 + 0.6 * pow(toward_sun, 10.0));
    sky = mix(sky, cloud, 0.9 * cover);
    light = vec4(sky, 1.0);
}
