"""A POSIX shell (with the common parts of bash) over simulated time: parser, expansion and a resumable machine."""
