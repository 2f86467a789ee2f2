"""What is seen: the height surface, the renderer and its passes, pictures, and the panels' triangles."""
