"""Views of a world at an instant: what kubectl prints of it, and the model that pages draw. Pure; nothing here changes a world.

``project`` is the door for pages. Two kinds of view: those of a world (``pod``, ``containers``, ``nodes``,
``objects``, ``cluster_map``), which can say what is due next, and those of records alone (``lanes``,
``recorded``, ``spans``, ``ledger``), which also work for a history that today's rules no longer lead to.
Texts are message ids with values (``text``), looks are names of tones (``tones``): neither is part of a
record.
"""
