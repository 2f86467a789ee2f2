"""The wave laboratory: command line, window, camera, panels, renderer and scenes."""
