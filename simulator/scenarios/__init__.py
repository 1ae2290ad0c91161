"""The built-in stories: one folder each with ``scenario.toml`` and ``manifest.yaml``.

``story.py`` reads a folder, ``expect.py`` checks what a story promises against records. English texts stand in the TOML;
``make messages`` lists them for the translators (``web/base/outside_texts.py``).
"""
