// The inside of the basin: tiles, the sun's light through the water, and where a ray leaves the water's box.
uniform sampler2D tiles;     // colours as square roots of linear light
uniform sampler2D caustics;  // brightness of refracted sunlight, 1 on average, seen from the still water's level

const float WATER_INDEX = 1.333;
// The sun is half a degree wide, so no pattern on the floor is finer than about this part of the basin's width.
const float SUN_BLUR = 450.0;
const float TILES_PER_TEXTURE = 8.0;

vec3 tile_colour(vec2 position, float footprint) {
    float texture_size = TILES_PER_TEXTURE * absorption.w;
    float level = log2(footprint * float(textureSize(tiles, 0).x) / texture_size);
    vec3 root = textureLod(tiles, position / texture_size, level).rgb;
    return root * root;
}

vec3 basin_colour(vec3 at, vec3 normal, float footprint) {
    vec2 position = abs(normal.y) > 0.5 ? at.xz : (abs(normal.x) > 0.5 ? at.zy : at.xy);
    return tile_colour(position, footprint);
}

// Distance to where a ray from inside leaves the box of the basin below `top`, and the wall's normal there.
float box_exit(vec3 from, vec3 direction, float top, out vec3 normal) {
    vec3 sign_of = vec3(direction.x < 0.0 ? -1.0 : 1.0, direction.y < 0.0 ? -1.0 : 1.0, direction.z < 0.0 ? -1.0 : 1.0);
    vec3 wall = vec3(basin.x * sign_of.x, direction.y < 0.0 ? -basin.y : top, basin.z * sign_of.z);
    vec3 along = (wall - from) / (direction + sign_of * 1e-6);
    float nearest = min(along.x, min(along.y, along.z));
    normal = along.y <= nearest ? vec3(0, -sign_of.y, 0)
           : along.x <= nearest ? vec3(-sign_of.x, 0, 0) : vec3(0, 0, -sign_of.z);
    return max(nearest, 0.0);
}

// Direction in which sunlight travels under still water.
vec3 sunbeam() { return refract(-sun.xyz, vec3(0, 1, 0), 1.0 / WATER_INDEX); }

// Sunlight on a point under water: shaded by the rim, focused by the waves, tinted by its way down.
vec3 sunlight_under_water(vec3 at, vec3 normal) {
    vec3 beam = sunbeam();
    float depth = max(-at.y, 0.0);
    float way = depth / -beam.y;
    vec2 entry = at.xz - beam.xz * way;
    vec2 over_rim = entry + basin.w * sun.xz / sun.y;
    vec2 edge = basin.xz - max(abs(entry), abs(over_rim));
    float soft = 0.02 + 0.04 * depth;
    float lit = smoothstep(-soft, soft, min(edge.x, edge.y));
#ifdef CAUSTICS
    float level = max(log2(float(textureSize(caustics, 0).x) / SUN_BLUR), 0.0);
    float brightness = textureLod(caustics, 0.5 + 0.5 * entry / basin.xz, level).r;
    lit *= mix(1.0, 0.15 + 0.85 * brightness, smoothstep(0.0, 0.3 * basin.y, depth));
#endif
    return sun_light.rgb * (lit * max(dot(normal, -beam), 0.0)) * exp(-absorption.rgb * way);
}

// Corners get less light from above.
float ambient_access(vec3 at, vec3 normal) {
    vec2 to_wall = (basin.xz - abs(at.xz)) / basin.y;
    float near_wall = normal.y > 0.5 ? min(to_wall.x, to_wall.y) : (at.y + basin.y) / basin.y;
    return 0.55 + 0.45 * smoothstep(0.0, 0.9, near_wall);
}

vec3 light_under_water(vec3 at, vec3 normal) {
    float depth = max(-at.y, 0.0);
    vec3 ambient = sky_light.rgb * ambient_access(at, normal) * exp(-absorption.rgb * depth) * (normal.y > 0.5 ? 0.9 : 0.6);
    return ambient + sunlight_under_water(at, normal);
}

// What is seen of the basin through water, `way` units of it.
vec3 through_water(vec3 light, float way) {
    vec3 kept = exp(-absorption.rgb * way);
    vec3 scattered = vec3(0.010, 0.075, 0.095) * (sky_light.rgb + 0.30 * sun_light.rgb * max(sun.y, 0.0));
    return light * kept + scattered * (1.0 - exp(-0.22 * way));
}
