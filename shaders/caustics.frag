// A beam spread over less area is brighter; overlapping beams add up (the pass blends by adding).
#version 330 core
in float spread;
out float brightness;

void main() { brightness = min(1.0 / (abs(spread) + 0.05), 8.0); }
