"""The built-in stories: one folder each with ``scenario.toml`` and ``manifest.yaml``.

``story.py`` reads a folder, ``expect.py`` checks what a story promises against records. English texts stand in the TOML;
``manage.py collect_texts`` lists them in ``simulator/web/texts.py`` for the translators.
"""
