"""Static files with hashed names, including ES modules, compressed as far as possible."""

import re
from typing import Any

import zopfli.gzip
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

WEIGHTY = re.compile(r"/(?:bundles|vendor/(?:htmx|idiomorph)[^/]*)/[^/]+\.[0-9a-f]{12}\.(?:js|css)$")
"""Files that every page loads: worth a second of compression once per release."""
ITERATIONS = 3

_STATEMENTS = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]
"""Django's patterns for imports and exports, each with its replacement; an ``import(…)`` may appear anywhere."""


class ThoroughCompressor(Compressor):  # type: ignore[misc]  # whitenoise has no types
    """Compresses the files that every page loads with Zopfli: the output is ordinary gzip, 4 % smaller, but slow to produce."""

    def compress(self, path: str) -> list[str]:
        """Write the compressed files next to the file, and return their names."""
        written: list[str] = super().compress(path)
        if written and WEIGHTY.search(path):
            with open(path, "rb") as file, open(f"{path}.gz", "wb") as packed:
                packed.write(zopfli.gzip.compress(file.read(), numiterations=ITERATIONS))
        return written


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Rewrites the relative imports of ES modules to the hashed names, so that no import map is needed."""

    support_js_module_import_aggregation = True
    # Django matches the statements anywhere and in any case, so "Export draws…" in a comment would count as one.
    _js_module_import_aggregation_patterns = (
        "*.js",
        tuple((pattern if "\\(" in pattern else f"(?m:^){pattern}", template) for pattern, template in _STATEMENTS),
    )
    max_post_process_passes = 30  # at least the length of the longest chain of imports; it stops as soon as all names are known

    def create_compressor(self, **kwargs: Any) -> Compressor:
        """Use the thorough compressor."""
        return ThoroughCompressor(**kwargs)
