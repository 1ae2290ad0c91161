"""What this interpreter does not support in a shell, a language or a tool."""


class Unsupported(Exception):
    """The script is fine but uses something that is not interpreted here; the text says what."""
