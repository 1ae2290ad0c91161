"""Views of a world at an instant: what kubectl prints of it, and the model that pages draw. Pure; nothing here changes a world."""
