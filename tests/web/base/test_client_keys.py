"""Keys of forms: all different, and short enough for a page with many."""

import os
import zlib

from simulator.web.base.client_keys import new_client_key


def test_no_two_forms_have_the_same_key():
    keys = [new_client_key() for _ in range(1000)]
    assert len(set(keys)) == len(keys)


def test_forked_process_makes_other_keys():
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, new_client_key().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 99).decode()[:24] != new_client_key()[:24]


def test_twenty_keys_weigh_little():
    keys = [new_client_key() for _ in range(20)]
    assert len(zlib.compress(" ".join(keys).encode(), 9)) < 110
