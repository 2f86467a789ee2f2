// Brings a finished picture of any size to the target.
#version 330 core
in vec2 corner;
out vec4 colour;

uniform sampler2D picture;

void main() { colour = vec4(texture(picture, 0.5 + 0.5 * corner).rgb, 1.0); }
