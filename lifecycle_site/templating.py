"""Django's templates, whose contexts are freed with the page instead of by the garbage collector.

A context knows its dicts and each of these knows its context, so everything that a page was rendered from is a cycle: some 250 kB for the
list of stories. The collector waits for many objects, since a world has no cycles, and by then a hundred pages may wait with it; what it
meets in the middle of a request it even keeps for much longer. A site with little memory ran out of it that way.
"""

from typing import Any

from django.http import HttpRequest
from django.template import TemplateDoesNotExist
from django.template.backends.django import DjangoTemplates, Template, reraise
from django.template.context import make_context
from django.utils.safestring import SafeString


class FreedTemplate(Template):
    """A template that forgets its context once it is rendered."""

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> SafeString:
        """The page. What is kept of the context (the tests' client keeps a copy of its list of dicts) stays whole."""
        made = make_context(context, request, autoescape=self.backend.engine.autoescape)
        try:
            return self.template.render(made)
        except TemplateDoesNotExist as problem:
            reraise(problem, self.backend)
        finally:
            made.dicts = []


class FreeingTemplates(DjangoTemplates):
    """The backend of TEMPLATES."""

    def get_template(self, template_name: str) -> FreedTemplate:
        """The template of this name. Raises TemplateDoesNotExist."""
        return FreedTemplate(super().get_template(template_name).template, self)

    def from_string(self, template_code: str) -> FreedTemplate:
        """A template from its text."""
        return FreedTemplate(super().from_string(template_code).template, self)
