"""Programs that scripts and argv use: each takes a ``Call`` and returns a status, or a ``ProgramStart`` if it takes time.

A program is a pure function of its call. Unknown options are ignored where that changes nothing a script can
see, and raise ``Unsupported`` where it would. Messages are those of busybox, or of GNU where the image has GNU
tools (``Call.gnu``), because scripts and readers compare them. Work is charged before it is done. Which image
has which program: ``catalogue.py``.
"""
