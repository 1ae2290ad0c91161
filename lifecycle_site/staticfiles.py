"""Static files with hashed names, ES modules included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Rewrites the relative imports of ES modules to the hashed names, so that no import map is needed."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 20
    """A module's name depends on those of all that it imports, and theirs on what they import: at least as many as the longest chain."""
