"""A POSIX shell (with the common parts of bash) over simulated time: parser, expansion and a resumable machine.

``machine`` takes frames from the shell's stack until the shell waits; ``nodes`` begins each kind of
command, ``steps`` goes on when the work above a frame has ended, ``commands`` runs simple commands and
``children`` starts processes. ``expand`` and its helpers make words of what is written. ash, dash and
bash share all of it; ``Shell.flavour`` changes the wording of messages and turns on bash's extras.
"""
