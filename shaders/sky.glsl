// The baked sky: a stereographic map seen from above, horizon at radius 1, reaching a little below it.
const float SKY_LOWEST = -0.25;
const float SKY_SCALE = 0.38;

vec2 sky_map_position(vec3 direction) {
    float up = max(direction.y, SKY_LOWEST);
    vec2 flat_direction = direction.xz * sqrt((1.0 - up * up) / max(dot(direction.xz, direction.xz), 1e-8));
    return flat_direction / (1.0 + up) * SKY_SCALE + 0.5;
}
