// Panels: positions in logical pixels, colours as the GUI library packs them.
#version 330 core
in vec2 in_position;
in vec2 in_uv;
in vec4 in_colour;
out vec2 uv;
out vec4 tint;

uniform vec4 display;  // left, top, width, height in logical pixels

void main() {
    uv = in_uv;
    tint = in_colour;
    vec2 place = (in_position - display.xy) / display.zw;
    gl_Position = vec4(2.0 * place.x - 1.0, 1.0 - 2.0 * place.y, 0.0, 1.0);
}
