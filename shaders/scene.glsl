// What every pass of one frame knows. app/view/scene_block.py packs it in this order.
layout(std140) uniform Scene {
    mat4 view_projection;
    mat4 inverse_view_projection;
    vec4 eye;         // world position; w: size of a pixel at distance 1
    vec4 sun;         // direction to the sun; w: 1 when its disc and highlight are drawn
    vec4 sun_light;   // linear rgb; w: exposure
    vec4 sky_light;   // linear rgb from above; w: 1 when the sky is drawn
    vec4 horizon;     // linear rgb of the haze; w: distance at which half of the light is haze
    vec4 basin;       // half width, depth of the floor, half depth, height of the rim
    vec4 grid;        // columns, rows, cell size, exaggeration of heights
    vec4 absorption;  // per world unit, rgb; w: size of a tile
    vec4 ring;        // world x and z of the brush, its radius (0: none); w: opacity
    vec4 scale;       // the data view: low, high, height between contour lines, shading
};
