"""The Django project of Podscope: settings, entry points, nothing about pods."""
