"""Questions, item kinds and references: YAML in, a checked frozen ``Course`` out."""
