"""Command lines of kubectl that change something: which commands of the run they mean, and what kubectl prints of what became of them.

A line becomes a ``Deed``: commands of the run, each with the words kubectl prints when it is done. Nothing is
carried out here; a page submits the commands, and ``outcome`` reads from the records what became of them.
A line that names what is not there, or flags that do not go together, raises ``BadLine`` with kubectl's words.
"""
