from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("simulator", "0015_class_wall"),
    ]

    operations = [
        migrations.AddField(
            model_name="sharedlevel",
            name="kind",
            field=models.CharField(choices=[("level", "level"), ("course", "course")], default="level", max_length=10),
        ),
        migrations.AddField(
            model_name="sharedlevel",
            name="owner_hash",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
    ]
