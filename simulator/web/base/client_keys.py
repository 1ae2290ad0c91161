"""Keys that distinguish a form submitted twice from two forms.

A run's page has about twenty forms. Twenty random keys would be its largest part, since random text does not compress; keys with a common
random prefix cost almost nothing. They need to be unique among the acts of one visitor and one run, not secret.
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
os.register_at_fork(after_in_child=_begin_process)  # a child continues counting from the same number


def new_client_key() -> str:
    """A key that is unique among all forms of all processes: 24 random hex digits of this process and a number."""
    return f"{_process}-{next(_next):08x}"
