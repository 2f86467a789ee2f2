// A picture over the frame, with straight alpha.
#version 330 core
uniform sampler2D picture;
in vec2 place;
out vec4 colour;

void main() {
    colour = texture(picture, place);
}
