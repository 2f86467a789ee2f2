// Height, slopes and obstacles as one filtered texture, from the plain heights. Runs once a simulated frame.
#version 330 core
out vec4 derived;

uniform sampler2D heights;
uniform sampler2D obstacles;
uniform float cell;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(heights, 0) - 1;
    float left = texelFetch(heights, ivec2(max(at.x - 1, 0), at.y), 0).r;
    float right = texelFetch(heights, ivec2(min(at.x + 1, last.x), at.y), 0).r;
    float above = texelFetch(heights, ivec2(at.x, max(at.y - 1, 0)), 0).r;
    float below = texelFetch(heights, ivec2(at.x, min(at.y + 1, last.y)), 0).r;
    float here = texelFetch(heights, at, 0).r;
    float obstacle = texelFetch(obstacles, min(at, textureSize(obstacles, 0) - 1), 0).r;
    derived = vec4(here, vec2(right - left, below - above) / (2.0 * cell), obstacle);
}
