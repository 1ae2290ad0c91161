"""Bring your own pod: from what ``kubectl get pod,events -o yaml`` prints to the beginning of a run with a past.

``read`` finds pods and events in a text, ``history`` works out what happened when, ``behaviours`` what the containers do from then on,
``build`` puts all of it into a header. Nothing here knows of pages or runs.
"""
