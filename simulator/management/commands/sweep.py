"""``manage.py sweep``: the same run with many values of a field and many seeds, and the outcome of each."""

import asyncio
import json
import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from simulator.engine.kernel.errors import EngineError
from simulator.engine.versions import MINORS, resolve, settings_of
from simulator.engine.versions.usual import TYPED
from simulator.headless.inputs import BadInput, Inputs, Prepared, prepare
from simulator.headless.sweeps.fields import BadSweptField, field_of, numeric_fields
from simulator.headless.sweeps.outcomes import OUTCOMES
from simulator.headless.sweeps.sweep import BadSweep, Sweep, SweepCell, SweepPlan, seeds_of, values_of
from simulator.headless.sweeps.table import sweep_json, sweep_table
from simulator.headless.sweeps.workers import CellLimits, Crew, work_through
from simulator.manifests.check.gathered import printed
from simulator.manifests.problems import Problem
from simulator.manifests.script.durations import duration_ms

OPTIONS = {"field": "--field", "values": "--values", "seeds": "--seeds", "outcome": "--outcome", "until": "--for"}
"""The option for each part of a sweep."""
ALONE = 200
"""Fewer cells than this are finished before other processes have started."""
LIMITS = CellLimits(seconds=600, memory_mib=4096)


class Command(BaseCommand):
    """Play every value with every seed and print a table with a chart."""

    help = "How often, or how late, something happens, over the values of a numeric field and over seeds."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        parser.add_argument("-f", "--manifest", action="append", metavar="FILE", help="a manifest; several times, - is stdin")
        parser.add_argument("--script", help="what is done to the pods (YAML list of steps)")
        parser.add_argument("--cluster", help="nodes and images of the cluster (YAML)")
        parser.add_argument("--field", help='the field: "spec.terminationGracePeriodSeconds", with several manifests "web: spec.replicas"')
        parser.add_argument("--values", help="its values: 0..30/5 (from, to, step), 1,2,5 or 64Mi..256Mi/64Mi")
        parser.add_argument("--seeds", default="1..10", help="seeds: 1..20 or 1,2,5 (default 1..10); with one, delays take their mean")
        parser.add_argument("--outcome", default="time-to-ready", help="what is measured (see --outcomes; default time-to-ready)")
        parser.add_argument("--pod", default="", help="only pods of that name count; * is anything: web-*")
        parser.add_argument("--for", dest="duration", default="120s", help="how long each run lasts: 90s, 5m (120s)")
        parser.add_argument("--jobs", type=int, default=0, help="how many processes work on it (default: as many as the machine has cores)")
        parser.add_argument("--json", action="store_true", help="print every cell as JSON")
        parser.add_argument("--fields", action="store_true", help="list the numeric fields of the manifests and stop")
        parser.add_argument("--outcomes", action="store_true", help="list the outcomes and stop")
        parser.add_argument("--kubernetes", default=TYPED, help=f"Kubernetes minor, {MINORS[0]} … {MINORS[-1]} (default {TYPED})")
        parser.add_argument("--feature-gates", default="", help="gates set against their default: Name=true,Other=false")
        parser.add_argument("--namespace", default="default", help="namespace of objects that name none")
        parser.add_argument("--jitter", choices=("real", "none"), help="whether delays are drawn where there is one seed (default none)")
        parser.add_argument("--lenient", action="store_true", help="unknown fields are warnings, not errors")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the inputs, play, print."""
        if options["outcomes"]:
            self._list_outcomes()
            return
        if options["jobs"] < 0:
            raise CommandError(_("--jobs must be at least 1"))
        if not options["manifest"]:
            raise CommandError(_("--manifest is missing"))
        try:
            resolve(options["kubernetes"], settings_of(options["feature_gates"]))
            prepared = self._prepared(options)
            header = prepared.header
        except (EngineError, ValueError, BadInput) as error:
            raise CommandError(str(error)) from None
        if options["fields"]:
            for field in numeric_fields(header):
                self.stdout.write(f"{field.text}  ({field.state if field.value is None else f'{field.value}, {field.state}'})")
            return
        try:
            plan = SweepPlan(self._sweep(header, options))
        except BadSweep as error:
            place = "" if error.step is None else f"{options['script']}:{prepared.script_lines[error.step]}: "
            raise CommandError(f"{place}{OPTIONS[error.part]}: {error}") from None
        cells = self._cells(plan, options["jobs"])
        if options["json"]:
            self.stdout.write(json.dumps(sweep_json(plan, cells), ensure_ascii=False))
            return
        for line in sweep_table(plan, cells):
            self.stdout.write(line)

    def _list_outcomes(self) -> None:
        for outcome in OUTCOMES:
            argument = outcome.argument if outcome.must else f"[{outcome.argument}]"
            name = f"{outcome.name}:{argument}" if outcome.argument else outcome.name
            self.stdout.write(f"{name}\n    {_(outcome.help)}")

    def _sweep(self, header: Any, options: dict[str, Any]) -> Sweep:
        """The sweep defined by the options. Raises BadSweep, and CommandError if an option is missing."""
        for name in ("field", "values"):
            if not options[name]:
                raise CommandError(_("--%(name)s is missing; --fields lists the available fields") % {"name": name})
        until_ms = duration_ms(options["duration"])
        if until_ms is None:
            message = _("%(option)s: %(value)s is not a duration; write 90s, 5m or 1h30m")
            raise CommandError(message % {"option": "--for", "value": options["duration"]})
        try:
            field = field_of(header, options["field"])
        except BadSweptField as error:
            raise BadSweep("field", str(error)) from None
        return Sweep(
            header=header,
            field=field.text,
            values=values_of(options["values"], field),
            seeds=seeds_of(options["seeds"]),
            outcome=options["outcome"],
            pod=options["pod"],
            until_ms=until_ms,
        )

    def _cells(self, plan: SweepPlan, jobs: int) -> list[SweepCell]:
        """Compute all cells, in order; in separate processes if there is more than one job."""
        jobs = min(jobs or (os.cpu_count() or 1 if plan.sweep.size >= ALONE else 1), plan.sweep.size)
        cells: dict[int, SweepCell] = {}
        if jobs == 1:
            places = list(plan.places())
            cells |= {number: plan.play(*places[number]) for row in plan.rows() for number in row}
        else:
            asyncio.run(self._work(plan, jobs, cells))
        return [cells[number] for number in range(plan.sweep.size)]

    async def _work(self, plan: SweepPlan, jobs: int, cells: dict[int, SweepCell]) -> None:
        crew = Crew(jobs, LIMITS)

        def tell(number: int, cell: SweepCell) -> None:
            cells[number] = cell
            if self.stderr.isatty():
                self.stderr.write(f"\r{len(cells)}/{plan.sweep.size}", ending="\r" if len(cells) == plan.sweep.size else "")

        try:
            await work_through(plan, crew, tell)
        finally:
            await crew.rest()

    def _prepared(self, options: dict[str, Any]) -> Prepared:
        """The run to be varied; problems with its files are printed, merging identical notes. Raises as ``prepare``."""
        found: list[tuple[str, Problem]] = []
        try:
            return prepare(inputs_of(options), lambda name, problem: found.append((name, problem)))
        finally:
            for line in printed(found):
                self.stderr.write(line)


def inputs_of(options: dict[str, Any]) -> Inputs:
    """The inputs from the command line."""
    return Inputs(
        files=tuple(options["manifest"]),
        script=options["script"],
        cluster=options["cluster"],
        kubernetes=options["kubernetes"],
        namespace=options["namespace"],
        feature_gates=options["feature_gates"],
        jitter=options["jitter"],
        lenient=options["lenient"],
    )
