from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("simulator", "0019_shared_level_problems"),
    ]

    operations = [
        migrations.AddField(
            model_name="doorkey",
            name="label",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
        migrations.AddField(
            model_name="runcommand",
            name="typed",
            field=models.CharField(blank=True, default="", max_length=300),
        ),
        migrations.AddField(
            model_name="runcommand",
            name="given_by",
            field=models.CharField(blank=True, default="", max_length=80),
        ),
    ]
