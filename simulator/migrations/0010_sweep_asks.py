import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

BY_OWNER = "It was stopped by whoever asked for it. What is there is shown."

ASKS_OF_SWEEPS = """
INSERT INTO simulator_sweepask (id, work_id, title, run_id, scenario_id, source_body, owner_hash, address_hash,
                                is_wanted, note, created_at, seen_at)
SELECT id, id, title, run_id, scenario_id, source_body, owner_hash, address_hash,
       NOT (state = 'stopped' AND state_note = %s),
       CASE WHEN state = 'stopped' AND state_note = %s THEN state_note ELSE '' END,
       created_at, seen_at
FROM simulator_storedsweep
"""
"""Each sweep that there is gets one ask, at the address that it has had."""
SWEEPS_OF_ASKS = """
UPDATE simulator_storedsweep
SET (title, run_id, scenario_id, source_body, owner_hash, address_hash, seen_at) = (
    SELECT title, run_id, scenario_id, source_body, owner_hash, address_hash, seen_at
    FROM simulator_sweepask WHERE work_id = simulator_storedsweep.id ORDER BY created_at, id LIMIT 1
)
WHERE EXISTS (SELECT 1 FROM simulator_sweepask WHERE work_id = simulator_storedsweep.id)
"""
"""The way back: a sweep is that of its first asker, as it was before."""


class Migration(migrations.Migration):
    """Who asks for a sweep is stored apart from the work, which all who ask the same share."""

    dependencies = [
        ("simulator", "0009_takers"),
    ]

    operations = [
        migrations.CreateModel(
            name="SweepAsk",
            fields=[
                ("id", models.CharField(editable=False, max_length=52, primary_key=True, serialize=False)),
                ("title", models.CharField(max_length=120, verbose_name="title")),
                ("source_body", models.TextField(default="{}")),
                ("owner_hash", models.CharField(blank=True, max_length=64)),
                ("address_hash", models.CharField(blank=True, max_length=64)),
                ("is_wanted", models.BooleanField(default=True)),
                ("note", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "work",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="asks", to="simulator.storedsweep"),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="sweeps", to="simulator.run"
                    ),
                ),
                (
                    "scenario",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="sweeps", to="simulator.scenario"
                    ),
                ),
            ],
            options={
                "verbose_name": "sweep",
                "verbose_name_plural": "sweeps",
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["owner_hash", "-created_at"], name="ask_owned"),
                    models.Index(fields=["seen_at"], name="ask_seen"),
                ],
            },
        ),
        migrations.RunSQL([(ASKS_OF_SWEEPS, [BY_OWNER, BY_OWNER])], SWEEPS_OF_ASKS),
        # The way back adds the column to rows that are there.
        migrations.AlterField("storedsweep", "title", models.CharField(default="", max_length=120, verbose_name="title")),
        migrations.RemoveIndex("storedsweep", "sweep_owned"),
        migrations.RemoveIndex("storedsweep", "sweep_seen"),
        migrations.RemoveField("storedsweep", "title"),
        migrations.RemoveField("storedsweep", "run"),
        migrations.RemoveField("storedsweep", "scenario"),
        migrations.RemoveField("storedsweep", "source_body"),
        migrations.RemoveField("storedsweep", "owner_hash"),
        migrations.RemoveField("storedsweep", "address_hash"),
        migrations.RemoveField("storedsweep", "seen_at"),
        migrations.RemoveField("storedreplay", "owner_hash"),
        migrations.AlterModelOptions(
            "storedsweep",
            {"ordering": ("-created_at",), "verbose_name": "work of a sweep", "verbose_name_plural": "work of sweeps"},
        ),
    ]
