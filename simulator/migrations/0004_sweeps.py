import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    """Sweeps and their cells."""

    dependencies = [
        ("simulator", "0003_recorded"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredSweep",
            fields=[
                ("id", models.CharField(editable=False, max_length=52, primary_key=True, serialize=False)),
                ("title", models.CharField(max_length=120, verbose_name="title")),
                ("body", models.TextField()),
                ("source_body", models.TextField(default="{}")),
                ("owner_hash", models.CharField(blank=True, max_length=64)),
                ("address_hash", models.CharField(blank=True, max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("stopped", "stopped"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("state_note", models.CharField(blank=True, max_length=300)),
                ("size", models.PositiveIntegerField()),
                ("done", models.PositiveIntegerField(default=0)),
                ("cells_body", models.TextField(default="[]")),
                ("owner", models.CharField(blank=True, max_length=80)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
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
                    models.Index(condition=models.Q(("state__in", ["queued", "running"])), fields=["created_at"], name="sweep_open"),
                    models.Index(fields=["owner_hash", "-created_at"], name="sweep_owned"),
                    models.Index(fields=["seen_at"], name="sweep_seen"),
                ],
            },
        ),
    ]
