"""What ``kubectl run``, ``create KIND`` and ``expose`` send: the objects generated from their flags, and how ``--dry-run`` prints them.

The keys of an object follow the order of the Go types, because ``-o json`` prints them that way; YAML sorts them.
"""
