"""What a user can do to a run: one declaration per act, collected by ``all_acts``."""
