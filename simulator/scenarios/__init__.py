"""The built-in stories: one folder each with ``scenario.toml`` and ``manifest.yaml``.

``story.py`` reads a folder, ``expect.py`` checks a story's expectations against records. English texts are in the TOML;
``make messages`` lists them for the translators (``web/base/outside_texts.py``).
"""
