from django.db import migrations, models


class Migration(migrations.Migration):
    """A command says what the clock showed when it was given."""

    dependencies = [
        ("simulator", "0012_cell_codes"),
    ]

    operations = [
        migrations.AddField(
            model_name="runcommand",
            name="given_ms",
            field=models.BigIntegerField(blank=True, null=True),
        ),
    ]
