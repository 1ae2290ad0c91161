"""What the kubelet and the container runtime can do with a container: start, resume, signal and end it, exec in it, query it.

Every function takes a stored ``Process`` and what the node offers (``Host``), and returns a ``Turn`` with
the next ``Process`` and what the kubelet has to act on: output, changed volumes, when to come back, the
exit code. ``requests`` only queries and returns an answer: a query leaves no trace.
"""
