// The brush's footprint on the surface: a light ring with a dark edge, one and a half pixels wide at any distance.
vec3 with_ring(vec3 screen_colour, vec2 position) {
    float away = distance(position, ring.xy);
    float pixel = max(fwidth(away), 1e-6);
    float offset = abs(away - ring.z) / pixel;
    float fill = ring.z > 0.0 ? 0.07 * (1.0 - smoothstep(ring.z - pixel, ring.z, away)) : 0.0;
    float line = ring.z > 0.0 ? 1.0 - smoothstep(0.75, 1.75, offset) : 0.0;
    float edge = ring.z > 0.0 ? 1.0 - smoothstep(1.75, 3.25, offset) : 0.0;
    vec3 shaded = mix(screen_colour, vec3(1.0), fill * ring.w);
    shaded = mix(shaded, vec3(0.02, 0.05, 0.08), 0.45 * edge * ring.w);
    return mix(shaded, vec3(1.0, 0.97, 0.88), 0.9 * line * ring.w);
}
