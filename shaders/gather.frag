// The four heights around each of a list of cells: what a ray needs to know of a surface, and no more.
#version 330 core
out vec4 corners;

uniform sampler2D heights;
uniform isampler2D cells;  // one texel a patch: column and row of its first corner

void main() {
    ivec2 cell = texelFetch(cells, ivec2(int(gl_FragCoord.x), 0), 0).xy;
    ivec2 last = textureSize(heights, 0) - 1;
    ivec2 low = clamp(cell, ivec2(0), last);
    ivec2 high = clamp(cell + 1, ivec2(0), last);
    corners = vec4(texelFetch(heights, low, 0).r, texelFetch(heights, ivec2(high.x, low.y), 0).r,
                   texelFetch(heights, ivec2(low.x, high.y), 0).r, texelFetch(heights, high, 0).r);
}
