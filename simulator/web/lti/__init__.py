"""Levels as tasks of a course elsewhere, by LTI 1.3. Off unless ``PODSCOPE_LTI_CONFIG`` names a file and pylti1p3 is installed."""
