"""Bring your own pod: from what ``kubectl get pod,events -o yaml`` prints to the beginning of a run with a past.

``read`` finds pods and events in a text, ``history`` works out what happened when, ``behaviours`` what the containers do from then on,
``build`` puts all of it into a header. Nothing here knows of pages or runs.

A status dates little: the newest instance of a container, the one before, the last change of each condition.
Events date a first and a last time and count the rest. What lies between is inferred, and every fact says
by which rule it was (IMPORT-RECORDED, -FOLLOWS, -RESTARTS, -SPREAD, -STATE), so that a reader can tell what the
text says from what was inferred. Inference follows the kubelet's own rules (the back-off, the order of a start).
"""
