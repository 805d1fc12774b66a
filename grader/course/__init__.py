"""Questions, item kinds, formulas and references: YAML in, a checked frozen ``Course`` out."""
