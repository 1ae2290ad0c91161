"""Write the built-in stories into the database."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from simulator.models import Scenario
from simulator.runs.log.content import encode_content
from simulator.scenarios.build import story_content
from simulator.scenarios.story import Story, read_stories


class Command(BaseCommand):
    """``manage.py load_scenarios``: idempotent; stories that are no longer built in are removed, users' own stay."""

    help = "Load the built-in scenarios into the database."

    def handle(self, *args: Any, **options: Any) -> None:
        """Update or create each story. Raises ValueError if a story's manifest has errors."""
        stories = read_stories()
        with transaction.atomic():
            for story in stories:
                Scenario.objects.update_or_create(slug=story.slug, defaults=scenario_fields(story))
            Scenario.objects.filter(is_builtin=True).exclude(slug__in=[story.slug for story in stories]).delete()
        self.stdout.write(f"{len(stories)} scenarios loaded")


def scenario_fields(story: Story) -> dict[str, Any]:
    """The columns of a story's row. In English only: pages translate the lines when showing them."""
    return {
        "title": story.title,
        "summary": story.summary,
        "story": "\n\n".join(story.about),
        "what_to_try": "\n".join(step.text for step in story.tries),
        "what_to_watch": "\n".join(step.text for step in story.watch),
        "docs_url": story.docs_url,
        "tags": list(story.tags),
        "level": story.level,
        "minutes": story.minutes,
        "order": story.order,
        "is_builtin": True,
        "body": encode_content(story_content(story)),
    }
