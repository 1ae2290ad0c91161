"""Static files with hashed names, ES modules included, packed as small as they can be."""

import re
from typing import Any

import zopfli.gzip
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

WEIGHTY = re.compile(r"/(?:bundles|vendor/(?:htmx|idiomorph)[^/]*)/[^/]+\.[0-9a-f]{12}\.(?:js|css)$")
"""What every page loads: worth a second of packing, once a release."""
ITERATIONS = 3

_STATEMENTS = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]
"""Django's patterns for imports and exports, each with what takes the place of a match; an ``import(…)`` may stand anywhere."""


class ThoroughCompressor(Compressor):  # type: ignore[misc]  # whitenoise has no types
    """Packs what every page loads with Zopfli, which browsers read as gzip: four parts in a hundred smaller, and slow to make."""

    def compress(self, path: str) -> list[str]:
        """Names of the packed files written beside the file."""
        written: list[str] = super().compress(path)
        if written and WEIGHTY.search(path):
            with open(path, "rb") as file, open(f"{path}.gz", "wb") as packed:
                packed.write(zopfli.gzip.compress(file.read(), numiterations=ITERATIONS))
        return written


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Rewrites the relative imports of ES modules to the hashed names, so that no import map is needed."""

    support_js_module_import_aggregation = True
    # Django looks for the statements anywhere, in capitals, too: "Export draws…" in a comment would be the beginning of one.
    _js_module_import_aggregation_patterns = (
        "*.js",
        tuple((pattern if "\\(" in pattern else f"(?m:^){pattern}", template) for pattern, template in _STATEMENTS),
    )
    max_post_process_passes = 30  # as many as the longest chain of imports has links; it ends as soon as all names are known

    def create_compressor(self, **kwargs: Any) -> Compressor:
        """Of WhiteNoise's, the slow one."""
        return ThoroughCompressor(**kwargs)
