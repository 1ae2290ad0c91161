"""The page of a run: its panels, its acts, what the editor asks about it.

A page is made of a scene (``scenes``): who looks at which moment, with what selected. A panel is a function
of the scene (``panels``), the same for the first page, for htmx and for a track (``tracks``), which sends all
versions of a panel over a stretch. Acts are POSTs that only store commands (``acts``). The moment lives in
the address, so every view of a run can be linked to.
"""
