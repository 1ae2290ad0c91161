"""Imported pods: their past fact by fact, and the moment at which the simulation takes them over.

``simulator/imports`` reads what a user pasted and writes a ``Past`` into the run's header (``document``).
``play`` turns it into events of the queue, one fact at its moment; ``facts`` and ``occurrences`` apply
them through the ordinary machines, so stored rows and records are those of a simulated pod. At
``resume_ms`` everything a component keeps in its head is set up (``resume``, ``processes``,
``stopping``), and from then on the pod differs in nothing from one that began here.
"""
