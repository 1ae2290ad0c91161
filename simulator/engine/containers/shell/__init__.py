"""A POSIX shell (with the common parts of bash) over simulated time: parser, expansion and a resumable machine.

``machine`` pops frames from the shell's stack until the shell has to wait; ``nodes`` starts each kind of
command, ``steps`` continues when the work above a frame has ended, ``commands`` runs simple commands and
``children`` starts processes. ``expand`` and its helpers turn source words into fields. ash, dash and
bash share all of it; ``Shell.flavour`` changes the wording of messages and enables bash's extras.
"""
