from django.db import migrations, models


class Migration(migrations.Migration):
    """A state for runs that another revision of the engine recorded."""

    dependencies = [("simulator", "0002_places")]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="state",
            field=models.CharField(
                choices=[
                    ("live", "live"),
                    ("limit", "limit met"),
                    ("diverged", "diverged"),
                    ("recorded", "recorded by another revision"),
                    ("failed", "failed"),
                    ("stopped", "stopped"),
                ],
                default="live",
                max_length=10,
            ),
        ),
    ]
