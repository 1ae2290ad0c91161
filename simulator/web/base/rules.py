"""The sentences of all rules, machines and acts, and where rules are documented: too much for every page, the same for all."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, override
from django.views.decorators.http import require_safe

from simulator.engine.rules.actors import actors_of_steps
from simulator.engine.rules.anchors import anchor
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.manifests.documentation import docs_link
from simulator.web.base.caches import RULE_TEXTS
from simulator.web.base.lasting import LastingBody, lasting_answer, lasting_body
from simulator.web.presenters import ACTOR_NAMES, act_wordings, headlines, rule_sentences


@require_safe
def rule_texts(request: HttpRequest, language: str, digest: str) -> HttpResponse:
    """Rule → sentence in a language, rule → documentation, and what steps of machines and acts are told as.

    The address names the digest, so that a new release is a new address; an old one gets today's.
    """
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return lasting_answer(request, _body(language))


def rule_texts_url() -> str:
    """Where the sentences are in the reader's language."""
    language = get_language() or settings.LANGUAGE_CODE
    return reverse("sim:rule-texts", args=(language, _body(language).digest))


def _body(language: str) -> LastingBody:
    return RULE_TEXTS.of(language, lambda: _made(language))


def _made(language: str) -> LastingBody:
    with override(language):
        return lasting_body(browser_texts())


def browser_texts() -> dict[str, object]:
    """Everything of it in the reader's language, by the names that scripts know it by."""
    return {"rules": rule_sentences(), "docs": _docs(), "headlines": headlines(), "acts": act_wordings(), "actors": _actors()}


def _actors() -> dict[str, list[str]]:
    """What each component does, by its name in the reader's language: rules, and steps of machines; none where the text says who."""
    found: dict[str, list[str]] = {}
    for step, actor in actors_of_steps().items():
        found.setdefault(str(ACTOR_NAMES[actor]) if actor else "", []).append(step)
    return found


def _docs() -> dict[str, str]:
    """Where the documentation tells of a rule, for those of which it does."""
    return {rule_id: docs_link(path) for rule_id in RULEBOOK if (path := anchor(rule_id))}
