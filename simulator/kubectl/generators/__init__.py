"""What ``kubectl run``, ``create KIND`` and ``expose`` send: the objects they make of their flags, and how ``--dry-run`` prints them.

The keys of an object stand in the order of the Go types, for ``-o json`` prints them so; YAML sorts them.
"""
