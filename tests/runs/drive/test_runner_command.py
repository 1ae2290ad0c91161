"""A runner that is started on its own."""

import os

from django.core.management import call_command

from simulator.management.commands import runner
from simulator.runs.turns.constants import PAGE_NICE, RUNNER_NICE


def test_runner_by_itself_lets_pages_go_first_as_one_of_the_site_does(monkeypatch):
    done = []

    async def serve(self):
        done.append("serves")

    for name in ("get_channel_layer", "limit_memory", "refuse_old_database"):
        monkeypatch.setattr(runner, name, lambda *_, **__: None)
    monkeypatch.setattr(os, "nice", done.append)
    monkeypatch.setattr(runner.Command, "_serve", serve)
    call_command("runner")
    assert done == [RUNNER_NICE, "serves"] and RUNNER_NICE > PAGE_NICE
