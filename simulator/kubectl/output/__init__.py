"""The formats of ``-o`` beside tables: YAML, JSON, names, JSONPath, custom columns and Go templates."""
