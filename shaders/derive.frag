// Height, slopes and obstacles as one filtered texture, from the plain heights. Runs once a simulated frame.
// Define: OBSTACLES.
#version 330 core
out vec4 derived;

uniform sampler2D heights;
uniform sampler2D obstacles;
uniform float cell;

ivec2 inside(ivec2 at) { return clamp(at, ivec2(0), textureSize(heights, 0) - 1); }

#ifdef OBSTACLES
bool solid(ivec2 at) { return texelFetch(obstacles, inside(at), 0).r > 0.5; }

// Solid cells hold no water: seen from beside them it goes on level, and they show their neighbours' mean level.
float height_from(ivec2 at, float here) { return solid(at) ? here : texelFetch(heights, inside(at), 0).r; }

float level_inside(ivec2 at) {
    float sum = 0.0;
    float count = 0.0;
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
            if (!solid(at + ivec2(x, y))) {
                sum += texelFetch(heights, inside(at + ivec2(x, y)), 0).r;
                count += 1.0;
            }
    return count > 0.0 ? sum / count : 0.0;
}
#else
float height_from(ivec2 at, float here) { return texelFetch(heights, inside(at), 0).r; }
#endif

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    float here = texelFetch(heights, at, 0).r;
#ifdef OBSTACLES
    if (solid(at)) {
        derived = vec4(level_inside(at), 0.0, 0.0, 1.0);
        return;
    }
#endif
    float along_x = height_from(at + ivec2(1, 0), here) - height_from(at - ivec2(1, 0), here);
    float along_y = height_from(at + ivec2(0, 1), here) - height_from(at - ivec2(0, 1), here);
    derived = vec4(here, vec2(along_x, along_y) / (2.0 * cell), 0.0);
}
