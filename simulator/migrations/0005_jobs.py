from django.db import migrations, models


class Migration(migrations.Migration):
    """Sweeps are one kind of job: results instead of cells, and when workers were told of it."""

    dependencies = [
        ("simulator", "0004_sweeps"),
    ]

    operations = [
        migrations.RenameField("storedsweep", "cells_body", "results_body"),
        migrations.AddField("storedsweep", "sent_at", models.DateTimeField(blank=True, null=True)),
    ]
