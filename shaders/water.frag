// Water: reflected sky and rim, refracted basin, the sun's glitter.
// Defines: REFLECTION, REFRACTION, CAUSTICS, SMOOTH, MIPMAPS, OBSTACLES, and BELOW when the eye may be under the surface.
#version 330 core
#include "scene.glsl"
#include "colour.glsl"
#include "sky.glsl"
#include "surface.glsl"
#include "basin.glsl"
#include "ring.glsl"
in vec2 cell;
in vec3 world;
out vec4 colour;

uniform sampler2D sky_map;

float fresnel_at(float facing) {
    float away = 1.0 - facing;
    float away2 = away * away;
    return 0.02 + 0.98 * away2 * away2 * away;
}

// The even body of the water, where nothing is seen through it.
vec3 body() { return vec3(0.012, 0.085, 0.125) * (sky_light.rgb + 0.35 * sun_light.rgb); }

vec3 sky_in(vec3 direction) { return textureLod(sky_map, sky_map_position(direction), 0.0).rgb; }

vec3 reflected(vec3 from, vec3 direction) {
    vec3 normal;
    float along = box_exit(from, direction, 1e3, normal);
    float height = from.y + along * direction.y;
    vec3 stone = vec3(0.36, 0.35, 0.33) * (sky_light.rgb * 0.7 + sun_light.rgb * max(dot(normal, sun.xyz), 0.0));
    return mix(stone, sky_in(direction), smoothstep(basin.w * 0.95, basin.w * 1.15 + 1e-4, height));
}

#ifdef OBSTACLES
uniform sampler2D obstacles;  // 1 where solid, with mean values of larger and larger blocks

float solid_at(vec2 cell) { return slope_bilinear(cell).w; }

// Whether there may be a wall on a ray's way: one look at a block as large as that way.
bool walls_near(vec3 from, vec3 direction, float along) {
    vec2 middle = cell_of_world((from + 0.5 * along * direction).xz);
    float level = ceil(log2(max(along * length(direction.xz) / grid.z, 1.0)));
    return textureLod(obstacles, (middle + 0.5) / grid.xy, level).r > 0.0;
}

// How far a ray goes under water before it meets a wall; beyond `along` when it meets none.
float way_to_wall(vec3 from, vec3 direction, float along) {
    if (!walls_near(from, direction, along)) return 2.0 * along + 1.0;
    // Half a cell each, so that a wall one cell wide is not stepped over.
    int steps = clamp(int(2.0 * along * length(direction.xz) / grid.z) + 1, 1, 64);
    float before = 0.0;
    for (int i = 1; i <= steps; ++i) {
        float way = along * float(i) / float(steps);
        float solid = solid_at(cell_of_world((from + way * direction).xz));
        if (solid > 0.5) return way - along / float(steps) * (solid - 0.5) / max(solid - before, 1e-3);
        before = solid;
    }
    return 2.0 * along + 1.0;
}

// The part of a wall that stands in the water.
vec3 wall_colour(vec3 at) {
    vec2 cell = cell_of_world(at.xz);
    vec2 outward = vec2(solid_at(cell - vec2(1, 0)) - solid_at(cell + vec2(1, 0)),
                        solid_at(cell - vec2(0, 1)) - solid_at(cell + vec2(0, 1)));
    vec3 normal = normalize(vec3(outward.x, 1e-3, outward.y));
    return vec3(0.40, 0.385, 0.36) * light_under_water(at, normal);
}
#endif

vec3 refracted(vec3 from, vec3 direction, float eye_distance) {
    vec3 normal;
    float along = box_exit(from, direction, 10.0, normal);
#ifdef OBSTACLES
    float way = max(way_to_wall(from, direction, along), 0.0);
    if (way < along) {
        vec3 wall = from + way * direction;
        return through_water(wall_colour(vec3(wall.x, min(wall.y, -1e-3), wall.z)), way);
    }
#endif
    vec3 at = from + along * direction;
    at.y = min(at.y, -1e-3);
    float footprint = (eye_distance + along) * eye.w * inversesqrt(max(abs(dot(direction, normal)), 0.15));
    return through_water(basin_colour(at, normal, footprint) * light_under_water(at, normal), along);
}

// pow(toward, n) as exp(n (toward - 1)): the same near 1, where it matters.
vec3 glitter(vec3 mirrored) {
    float off = dot(mirrored, sun.xyz) - 1.0;
    return sun_light.rgb * (sun.w * (70.0 * exp(2200.0 * off) + 1.6 * exp(180.0 * off)));
}

vec3 seen_from_above(vec3 normal, vec3 view, float eye_distance) {
    normal = normalize(normal + view * max(0.03 - dot(normal, view), 0.0));
    float fresnel = fresnel_at(max(dot(normal, view), 0.0));
    vec3 mirrored = reflect(-view, normal);
    mirrored = normalize(vec3(mirrored.x, abs(mirrored.y) + 0.01, mirrored.z));
#ifdef REFRACTION
    vec3 light = refracted(world, refract(-view, normal, 1.0 / WATER_INDEX), eye_distance);
#else
    vec3 light = body();
#endif
#ifdef REFLECTION
    light = mix(light, reflected(world, mirrored), fresnel);
#endif
    return light + fresnel * glitter(mirrored);
}

vec3 seen_from_below(vec3 normal, vec3 view) {
    // Within the critical angle the sky is seen through the surface, beyond it the basin in a perfect mirror.
    vec3 outward = refract(-view, -normal, WATER_INDEX);
    vec3 inward = reflect(-view, -normal);
    vec3 light = refracted(world, normalize(vec3(inward.x, min(inward.y, -0.02), inward.z)), length(eye.xyz - world));
    if (dot(outward, outward) > 0.0) light = mix(sky_in(outward), light, fresnel_at(max(dot(outward, normal), 0.0)));
    float way = min((world.y + basin.y) / max(-view.y, 0.2), 3.0 * basin.y);
    return through_water(light, way);
}

void main() {
    vec3 toward_eye = eye.xyz - world;
    float eye_distance = length(toward_eye);
    vec3 view = toward_eye / eye_distance;
    vec4 wave = wave_at(cell, eye_distance * eye.w * inversesqrt(max(abs(view.y), 0.05)) / grid.z);
#ifdef OBSTACLES
    if (wave.w > 0.75) discard;
#endif
    vec3 normal = normalize(vec3(-wave.y * grid.w, 1.0, -wave.z * grid.w));
#ifdef BELOW
    vec3 light = gl_FrontFacing ? seen_from_above(normal, view, eye_distance) : seen_from_below(normal, view);
#else
    vec3 light = seen_from_above(normal, view, eye_distance);
#endif
    colour = vec4(with_ring(to_screen(light, sun_light.w), world.xz), 1.0);
}
