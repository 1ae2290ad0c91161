"""Keys that tell a form sent twice from two forms.

A page of a run holds some twenty forms. Twenty random keys are what costs most on it, since random text does not compress; keys that share
a random beginning cost next to nothing. They need to be unique among the acts of one visitor and one run, not secret.
"""

import os
from itertools import count
from secrets import token_hex

_next = count()
_process = ""


def _begin_process() -> None:
    global _process
    _process = token_hex(12)


_begin_process()
os.register_at_fork(after_in_child=_begin_process)  # a child counts on from the same number


def new_client_key() -> str:
    """A key that no other form has, on any page of any process: 24 random hex digits of this process and a number."""
    return f"{_process}-{next(_next):08x}"
