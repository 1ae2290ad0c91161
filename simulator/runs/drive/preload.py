"""What the fork server imports and builds once for all workers. It opens no connection and starts no thread: neither survives a fork."""

import gc
from importlib import import_module

import django
from django.conf import settings
from django.template.loader import get_template
from django.utils import translation

from lifecycle_site.memory import collect_rarely

collect_rarely()
django.setup()
for name in ("lifecycle_site.urls", "simulator.runs.drive.child"):  # the modules of all pages with all they need, including the engine
    import_module(name)
for path in sorted((settings.BASE_DIR / "templates").rglob("*.html")):
    get_template(str(path.relative_to(settings.BASE_DIR / "templates")))
for language, _ in settings.LANGUAGES:
    with translation.override(language):
        import_module("simulator.web.base.rules").rule_texts_url()
import_module("simulator.web.bundles").stale_kinds()
import_module("simulator.runs.log.statements").compile_written()
import_module("simulator.web.gallery.gallery").draw_pictures()
import_module("simulator.web.base.levels").begin_levels()  # a whole class may begin a level at the same instant, in any of the workers
import_module("simulator.runs.drive.forking").name_process("fork server")
gc.collect()
gc.freeze()
