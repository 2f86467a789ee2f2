// Wall cells as solid material: a second height surface that stands out of the water.
#version 330 core
#include "scene.glsl"
#include "surface.glsl"
uniform sampler2D walls;  // 1 where solid; a texel is `stride` cells wide
uniform int stride;
uniform float top;
uniform float bottom;
out vec2 cell;
out vec3 world;
out float solid;

// Each cell has two lines of vertices, this far from its middle: a flat top within, steep sides between cells.
const float REACH = 0.36;

// Weights of four texels in a row, `f` of the way from the second to the third (Catmull and Rom's cubic): unlike a mean
// it is 1 in the middle of every solid one, so a wall one cell wide stands as high as others.
vec4 cubic(float f) {
    float g = 1.0 - f;
    return 0.5 * vec4(-f * g * g, 2.0 + f * f * (3.0 * f - 5.0), 2.0 + g * g * (3.0 * g - 5.0), -g * f * f);
}

float solid_at(vec2 texel) {
    ivec2 base = ivec2(floor(texel));
    vec4 across = cubic(texel.x - float(base.x));
    vec4 along = cubic(texel.y - float(base.y));
    float sum = 0.0;
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) {
            ivec2 at = clamp(base + ivec2(x, y) - 1, ivec2(0), textureSize(walls, 0) - 1);
            sum += across[x] * along[y] * texelFetch(walls, at, 0).r;
        }
    // The corners of a lone cell reach the upper bound; what is beside a straight wall stays near the lower one.
    return smoothstep(0.32, 0.56, sum);
}

// The outermost lines stand on the borders of the grid.
float border(float place, int line, int lines, float cells) {
    return line == 0 ? -0.5 : line == lines - 1 ? cells - 0.5 : min(place, cells - 0.5);
}

void main() {
    ivec2 lines = 2 * textureSize(walls, 0);
    ivec2 line = ivec2(gl_VertexID % lines.x, gl_VertexID / lines.x);
    vec2 texel = vec2(line / 2) + REACH * vec2(2 * (line % 2) - 1);
    solid = solid_at(texel);
    vec2 place = (texel + 0.5) * float(stride) - 0.5;
    cell = vec2(border(place.x, line.x, lines.x, grid.x), border(place.y, line.y, lines.y, grid.y));
    vec2 level = world_of_cell(cell);
    // Half way is where still water meets the wall.
    float height = solid < 0.5 ? mix(bottom, 0.0, 2.0 * solid) : mix(0.0, top, 2.0 * solid - 1.0);
    world = vec3(level.x, height, level.y);
    gl_Position = view_projection * vec4(world, 1.0);
}
