"""A process that has loaded what ``manage.py cluster`` needs and forks itself for each cluster: loading it takes longer than most tests.

Each input line is one request in JSON: ``{"words": […], "stdout": path, "stderr": path}`` starts the command with these arguments in a
process of its own and answers with its id; ``{"ended": id}`` waits until a process has ended and answers with its exit status.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import django


def _load() -> None:
    """Everything except ``daphne.server``, which creates an event loop: each process needs its own."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "lifecycle_site.settings"
    django.setup()
    import daphne.http_protocol  # noqa: F401
    import twisted.internet.asyncioreactor  # noqa: F401

    import simulator.management.commands.cluster  # noqa: F401

    assert "twisted.internet.reactor" not in sys.modules


def _become(words: list[str], stdout: str, stderr: str) -> None:
    """Run ``manage.py cluster`` with these arguments."""
    for number, path, mode in ((0, os.devnull, os.O_RDONLY), (1, stdout, os.O_WRONLY), (2, stderr, os.O_WRONLY)):
        os.dup2(os.open(path, mode), number)
    from manage import main

    sys.argv = ["manage.py", "cluster", *words]
    main()


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def answer_questions() -> None:
    """Until the input ends. In a forked process this returns when the cluster has ended."""
    _load()
    for line in iter(sys.stdin.readline, ""):
        asked = json.loads(line)
        if "ended" in asked:
            _say(os.waitpid(asked["ended"], 0)[1])
        elif child := os.fork():
            _say(child)
        else:
            return _become(**asked)
    return None


if __name__ == "__main__":
    answer_questions()
