// A quiet backdrop for the data view.
#version 330 core
in vec2 corner;
out vec4 colour;

uniform vec3 upper;
uniform vec3 lower;

void main() {
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    colour = vec4(mix(lower, upper, 0.5 + 0.5 * corner.y) + noise / 255.0, 1.0);
}
