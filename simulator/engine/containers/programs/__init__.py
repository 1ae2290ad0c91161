"""Programs that scripts and argv use: each takes a ``Call`` and returns a status, or a ``Start`` if it takes time."""
