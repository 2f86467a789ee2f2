// From linear light to the screen.

// Filmic curve with the screen's gamma in it (a rational fit by J. Hejl and R. Burgess-Dawson): no powers needed.
vec3 film(vec3 light) {
    vec3 x = max(light - 0.004, 0.0);
    vec3 screen = x * (6.2 * x + 0.5) / (x * (6.2 * x + 1.7) + 0.06);
    // A little more contrast around the middle.
    return mix(screen, screen * screen * (3.0 - 2.0 * screen), 0.45);
}

// Half a step of noise, so that smooth gradients show no bands in eight bits.
float dither(vec2 pixel) { return (fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0; }

vec3 to_screen(vec3 light, float exposure) { return film(light * exposure) + dither(gl_FragCoord.xy); }
