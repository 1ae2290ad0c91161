"""The sentences of all rules, machines and acts, and where rules are documented: too large for every page, but the same for all."""

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
    """Rule → sentence in a language, rule → documentation, and the texts for steps of machines and acts.

    The URL contains the digest, so a new release has a new URL; an old URL gets the current texts.
    """
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return lasting_answer(request, _body(language))


def rule_texts_url() -> str:
    """The URL of the sentences in the reader's language."""
    language = get_language() or settings.LANGUAGE_CODE
    return reverse("sim:rule-texts", args=(language, _body(language).digest))


def _body(language: str) -> LastingBody:
    return RULE_TEXTS.of(language, lambda: _made(language))


def _made(language: str) -> LastingBody:
    with override(language):
        return lasting_body(browser_texts())


def browser_texts() -> dict[str, object]:
    """All of these texts in the reader's language, under the names that the scripts use."""
    return {"rules": rule_sentences(), "docs": _docs(), "headlines": headlines(), "acts": act_wordings(), "actors": _actors()}


def _actors() -> dict[str, list[str]]:
    """Rules and machine steps by the component that carries them out, in the reader's language; without those whose text names it."""
    found: dict[str, list[str]] = {}
    for step, actor in actors_of_steps().items():
        found.setdefault(str(ACTOR_NAMES[actor]) if actor else "", []).append(step)
    return found


def _docs() -> dict[str, str]:
    """Links to the documentation, for the rules that are documented."""
    return {rule_id: docs_link(path) for rule_id in RULEBOOK if (path := anchor(rule_id))}
