// Least and greatest value of a block of texels; NaN counts as infinite, so that it never hides.
#version 330 core
out vec2 extremes;

uniform sampler2D values;
uniform int block;
uniform bool first;

void main() {
    ivec2 size = textureSize(values, 0);
    ivec2 corner = ivec2(gl_FragCoord.xy) * block;
    ivec2 end = min(corner + block, size);
    float low = 3.4e38;
    float high = -3.4e38;
    bool broken = false;
    for (int y = corner.y; y < end.y; ++y)
        for (int x = corner.x; x < end.x; ++x) {
            vec2 value = texelFetch(values, ivec2(x, y), 0).rg;
            if (first) value.g = value.r;
            broken = broken || isnan(value.r) || isnan(value.g);
            low = min(low, value.r);
            high = max(high, value.g);
        }
    extremes = broken ? vec2(-1.0, 1.0) / 0.0 : vec2(low, high);
}
