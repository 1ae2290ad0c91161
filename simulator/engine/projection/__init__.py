"""Views of a world at an instant: what kubectl prints and the model that pages draw. Pure: nothing here changes a world.

``project`` is the entry point for pages. There are two kinds of view: those of a world (``pod``, ``containers``,
``nodes``, ``objects``, ``cluster_map``), which can say what is due next, and those of records alone (``lanes``,
``recorded``, ``spans``, ``ledger``), which also work for a history that today's rules no longer reproduce.
Texts are message ids with values (``text``), appearance is the name of a tone (``tones``); neither is part of a
record.
"""
