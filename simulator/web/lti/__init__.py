"""Levels as tasks in a learning platform, through LTI 1.3. Off unless ``PODSCOPE_LTI_CONFIG`` names a file and pylti1p3 is installed."""
