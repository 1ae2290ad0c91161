"""What the kubelet and the container runtime may do with a container: start, resume, signal and end it, run commands in it, ask it.

Every function takes a stored ``Process`` and what the node offers (``Host``), and returns a ``Turn`` with
the next ``Process`` and what the kubelet has to act on: output, changed volumes, when to come back, the
exit code. ``requests`` only asks and returns an answer: asking leaves no trace.
"""
