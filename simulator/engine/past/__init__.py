"""Imported pods: their past, fact by fact, and the moment at which the simulation takes over.

``simulator/imports`` reads what a user pasted and writes a ``Past`` into the run's header (``document``).
``play`` turns it into queued events, one fact at a time; ``facts`` and ``occurrences`` apply them through the
ordinary machines, so stored rows and records look like those of a simulated pod. At ``resume_ms`` everything
that a component keeps in memory is set up (``resume``, ``processes``, ``stopping``), and from then on the pod
is no different from one that was created here.
"""
