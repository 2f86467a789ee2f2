// Least and greatest value and mean square of a block of texels; NaN counts as infinite, so that it never hides.
#version 330 core
out vec4 statistics;

// Division by zero is not defined in GLSL.
#define INFINITE uintBitsToFloat(0x7f800000u)

uniform sampler2D values;
uniform int block;
uniform bool first;

void main() {
    ivec2 size = textureSize(values, 0);
    ivec2 corner = ivec2(gl_FragCoord.xy) * block;
    ivec2 end = min(corner + block, size);
    float low = 3.4e38;
    float high = -3.4e38;
    float squares = 0.0;
    bool broken = false;
    for (int y = corner.y; y < end.y; ++y)
        for (int x = corner.x; x < end.x; ++x) {
            vec3 value = texelFetch(values, ivec2(x, y), 0).rgb;
            if (first) value = vec3(value.rr, value.r * value.r);
            broken = broken || isnan(value.r);
            low = min(low, value.r);
            high = max(high, value.g);
            squares += value.b;
        }
    // Blocks at the border are smaller, so a block hands on its part of the sum over a full one.
    if (broken) statistics = vec4(-INFINITE, INFINITE, INFINITE, 0.0);
    else statistics = vec4(low, high, squares / float(block * block), 0.0);
}
