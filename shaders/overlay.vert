// A picture over the frame, from its upper left corner; places and sizes in clip space.
#version 330 core
uniform vec2 corner, extent;
out vec2 place;

void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(corner + place * extent, 0.0, 1.0);
}
