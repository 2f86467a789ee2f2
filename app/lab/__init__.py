"""The logic of the wave laboratory: stability, keys, history, scene documents, walls, sources and probes. No window."""
