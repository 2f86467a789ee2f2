"""GLSL sources: one vertex and fragment pair per pass, and what they share as .glsl."""
