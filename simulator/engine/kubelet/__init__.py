"""The kubelet of every node, in three layers; no layer imports one above it (see pyproject.toml).

* ``node``: the node as a whole: admitting pods, evicting them, shutting down, restarting, losing the network.
* ``pods``: what a kubelet does for one pod, from looking at the runtime to removing the pod's object.
* ``base``: what both rely on: periodic ticks, health, admitted resources, when to check for pressure.

Other components meet the kubelet only through the store. Its handlers and watches are listed in ``course/components.py``.
"""
