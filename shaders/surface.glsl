// The height surface: its value and slope anywhere.
uniform sampler2D heights;  // R32F, one texel a cell
uniform sampler2D slopes;   // height, dh/dx, dh/dz, and obstacle; filtered

vec2 world_of_cell(vec2 cell) { return (cell - 0.5 * (grid.xy - 1.0)) * grid.z; }
vec2 cell_of_world(vec2 position) { return position / grid.z + 0.5 * (grid.xy - 1.0); }

vec4 slope_bilinear(vec2 cell) { return textureLod(slopes, (cell + 0.5) / grid.xy, 0.0); }

// Cubic B-spline through four bilinear reads: continuous slopes of slopes, so no cell shows in a highlight.
vec4 slope_smooth(vec2 cell) {
    vec2 base = floor(cell);
    vec2 f = cell - base;
    vec2 g = 1.0 - f;
    vec2 w0 = g * g * g / 6.0;
    vec2 w1 = (4.0 - 6.0 * f * f + 3.0 * f * f * f) / 6.0;
    vec2 w3 = f * f * f / 6.0;
    vec2 w2 = 1.0 - w0 - w1 - w3;
    vec2 near_sum = w0 + w1;
    vec2 far_sum = w2 + w3;
    vec2 near_at = (base - 0.5 + w1 / near_sum) / grid.xy;
    vec2 far_at = (base + 1.5 + w3 / far_sum) / grid.xy;
    return near_sum.y * (near_sum.x * textureLod(slopes, near_at, 0.0)
                         + far_sum.x * textureLod(slopes, vec2(far_at.x, near_at.y), 0.0))
         + far_sum.y * (near_sum.x * textureLod(slopes, vec2(near_at.x, far_at.y), 0.0)
                        + far_sum.x * textureLod(slopes, far_at, 0.0));
}

// What a pixel `cells_wide` cells across shows.
vec4 wave_at(vec2 cell, float cells_wide) {
#ifdef MIPMAPS
    float level = log2(cells_wide);
    if (level > 0.0) return textureLod(slopes, (cell + 0.5) / grid.xy, level);
#endif
#ifdef SMOOTH
    return slope_smooth(cell);
#else
    return slope_bilinear(cell);
#endif
}
