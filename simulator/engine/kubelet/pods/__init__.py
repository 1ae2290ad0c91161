"""What a kubelet does for one pod. From the top:

* ``loop``: whatever triggers a sync: a relist, the end of a process, a pull, a probe result, housekeeping.
* ``static``: pods from the node's manifest folder.
* ``sync``: one sync of a pod, the decision what to do, and the end of a pod.
* ``resize``, ``probes``, ``start``, ``stop``: what a sync sets in motion.
* ``status``: what the API is told about the pod.
* ``sandbox``, ``containers``, ``volumes``: what exists of the pod on its node.
* ``facts``, ``worker``: what the API and the node determine for a pod; when its worker may sync.

Each package contains the machine it fires (``…_machine``), the pure rules that decide, and the worker that acts.
"""
