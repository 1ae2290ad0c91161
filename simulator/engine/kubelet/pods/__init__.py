"""What a kubelet does for one pod. From the top:

* ``loop``: what arrives and makes a worker sync: a relist, an end of a process, a pull, a probe's result, housekeeping.
* ``static``: pods from the node's own folder.
* ``sync``: one sync of a pod, the decision what to do, and the end of a pod.
* ``resize``, ``probes``, ``start``, ``stop``: what a sync sets going.
* ``status``: what is said of the pod in the API.
* ``sandbox``, ``containers``, ``volumes``: what there is of the pod on its node.
* ``facts``, ``worker``: what a pod is given by the API and the node; when its worker may sync.

A package has the machine it fires (``…_machine``), the pure rules that decide, and the worker that acts.
"""
