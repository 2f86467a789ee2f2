// Where the vertices of the surface's mesh stand. Needs scene.glsl and surface.glsl.
// Mesh lines stand on cell centres, `stride` apart, and on both borders of the grid.
float grid_line(int line, int count, int cells, int stride) {
    if (line == 0) return -0.5;
    if (line == count - 1) return float(cells) - 0.5;
    return float(min((line - 1) * stride, cells - 1));
}

// One instance is one strip between two lines of rows; no vertex buffer is needed.
vec2 grid_vertex(ivec2 lines, int stride) {
    int column = gl_VertexID >> 1;
    int row = gl_InstanceID + (gl_VertexID & 1);
    return vec2(grid_line(column, lines.x, int(grid.x), stride), grid_line(row, lines.y, int(grid.y), stride));
}

float height_at_vertex(vec2 cell) {
    ivec2 at = clamp(ivec2(floor(cell)), ivec2(0), ivec2(grid.xy) - 1);
    return texelFetch(heights, at, 0).r;
}
