"""The page of a run: its panels, its acts, what the editor asks about it."""
