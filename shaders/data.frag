// Heights as colours, exactly those of the table unless shading is asked for; contour lines and the grid on top.
// Defines: CONTOURS, WIREFRAME, SHADING, OBSTACLES.
#version 330 core
#include "scene.glsl"
#include "surface.glsl"
#include "ring.glsl"
in vec2 cell;
in vec3 world;
out vec4 colour;

uniform sampler2D colour_table;  // 256 colours, screen values

vec3 table_colour(float value) {
    float place = clamp((value - scale.x) / (scale.y - scale.x), 0.0, 1.0);
    return texture(colour_table, vec2((place * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}

// Coverage of lines at whole numbers of `value`, `width` pixels wide; fades where they would touch.
float line_coverage(float value, float width) {
    float pixel = max(fwidth(value), 1e-9);
    float away = abs(fract(value - 0.5) - 0.5) / pixel;
    return (1.0 - smoothstep(0.5 * width - 0.5, 0.5 * width + 0.5, away)) * (1.0 - smoothstep(0.25, 0.5, pixel));
}

void main() {
    float value = texture(heights, (cell + 0.5) / grid.xy).r;
    vec3 shown = table_colour(value);
#if defined(SHADING) || defined(OBSTACLES)
    vec4 wave = slope_bilinear(cell);
#endif
#ifdef OBSTACLES
    if (wave.w > 0.75) discard;
#endif
#ifdef SHADING
    vec3 normal = normalize(vec3(-wave.y * grid.w, 1.0, -wave.z * grid.w));
    vec3 lamp = normalize(vec3(-0.45, 1.0, -0.35));
    shown *= mix(1.0, clamp(0.25 + 0.75 * dot(normal, lamp) / lamp.y, 0.35, 1.35), scale.w);
#endif
#ifdef CONTOURS
    // Lines stand half an interval off zero, where still water would be all line.
    vec3 ink = vec3(dot(shown, vec3(0.3, 0.6, 0.1)) > 0.45 ? 0.0 : 1.0);
    shown = mix(shown, ink, 0.55 * line_coverage(value / scale.z - 0.5, 1.2));
#endif
#ifdef WIREFRAME
    shown = mix(shown, vec3(0.05), 0.45 * max(line_coverage(cell.x, 1.0), line_coverage(cell.y, 1.0)));
#endif
    colour = vec4(with_ring(shown, world.xz), 1.0);
}
