"""Static files with hashed names, ES modules included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Rewrites the relative imports of ES modules to the hashed names, so that no import map is needed."""

    support_js_module_import_aggregation = True
