"""The page of a run: its panels, its acts, the editor's requests.

A page is made from a scene (``scenes``): who is looking at which moment, with what selected. A panel is a function
of the scene (``panels``), the same for the first page, for htmx and for a track (``tracks``), which sends all
versions of a panel over an interval. Acts are POSTs that only store commands (``acts``). The moment is part of the
URL, so every view of a run can be linked to.
"""
