"""What a user can do to a run: one declaration an act, collected by ``all_acts``."""
