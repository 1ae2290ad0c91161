from django.db import migrations

from simulator.runs.log import columns


class Migration(migrations.Migration):
    dependencies = [
        ("simulator", "0021_class_ask_right"),
    ]

    operations = [
        migrations.AddField(
            model_name="classmember",
            name="address_hash",
            field=columns.CharField(blank=True, default="", max_length=64),
        ),
    ]
