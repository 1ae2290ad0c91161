"""The output formats of ``-o`` other than tables: YAML, JSON, names, JSONPath, custom columns and Go templates."""
