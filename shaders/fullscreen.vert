// One triangle that covers the target, at the far plane.
#version 330 core
out vec2 corner;

void main() {
    corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
    gl_Position = vec4(corner, 1.0, 1.0);
}
