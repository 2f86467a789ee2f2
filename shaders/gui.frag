// A textured, tinted triangle of a panel.
#version 330 core
in vec2 uv;
in vec4 tint;
out vec4 colour;

uniform sampler2D image;

void main() { colour = tint * texture(image, uv); }
