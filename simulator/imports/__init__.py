"""Bring your own pod: from the output of ``kubectl get pod,events -o yaml`` to the beginning of a run with a past.

``read`` finds pods and events in a text, ``history`` works out what happened when, ``behaviours`` what the containers
do from then on, and ``build`` puts it all into a header. Nothing here depends on pages or runs.

A status dates very little: the newest instance of a container, the previous one, the last change of each condition.
Events have a first and a last time, and a count. Everything in between is inferred, and every fact names the rule it
comes from (IMPORT-RECORDED, -FOLLOWS, -RESTARTS, -SPREAD, -STATE), so that a reader can tell what the text says from
what was inferred. The inference follows the kubelet's own rules (the back-off, the order of a start).
"""
