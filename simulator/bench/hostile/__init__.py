"""Containers and texts designed to be expensive. ``manage.py bench hostile`` measures them, tests/bench checks the results.

A hostile script may get any answer that a real container could give; it must not keep a turn busy, hold unlimited memory, raise, or behave
differently the second time. A hostile text must be answered, whatever the answer.
"""

from simulator.bench.hostile import expressions, growth, language, lines, manifests, tools
from simulator.bench.hostile.model import HostileScript, HostileText

SCRIPTS: tuple[HostileScript, ...] = (*expressions.SCRIPTS, *language.SCRIPTS, *growth.SCRIPTS, *tools.SCRIPTS)
TEXTS: tuple[HostileText, ...] = (*manifests.TEXTS, *lines.TEXTS)

__all__ = ["SCRIPTS", "TEXTS", "HostileScript", "HostileText"]
