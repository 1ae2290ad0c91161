"""The kubelet of every node, in three layers; none imports what stands above it (pyproject.toml).

* ``node``: what concerns a node as a whole: taking pods in, evicting, shutting down, starting again, being cut off.
* ``pods``: what a kubelet does for one pod, from the look at the runtime to the end of its object.
* ``base``: what both count with: beats, health, the room that is given, when to look for pressure.

Other components meet it in the store only. Its handlers and watches are listed in ``course/components.py``.
"""
