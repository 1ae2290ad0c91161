from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("simulator", "0018_door_keys"),
    ]

    operations = [
        migrations.AddField(
            model_name="sharedlevel",
            name="problems",
            field=models.TextField(blank=True, default=""),
        ),
    ]
