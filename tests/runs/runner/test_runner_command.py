"""A runner that is started by itself."""

import os

from django.core.management import call_command

from simulator.management.commands import runner
from simulator.runs.runner import child
from simulator.web.base import page_workers


def test_runner_by_itself_lets_pages_go_first_as_one_of_the_site_does(monkeypatch):
    done = []

    async def serve(self):
        done.append("serves")

    for name in ("get_channel_layer", "limit_memory", "refuse_old_database"):
        monkeypatch.setattr(runner, name, lambda *_, **__: None)
    monkeypatch.setattr(os, "nice", done.append)
    monkeypatch.setattr(runner.Command, "_serve", serve)
    call_command("runner")
    assert done == [child.NICE, "serves"] and child.NICE > page_workers.NICE
