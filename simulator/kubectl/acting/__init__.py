"""The kubectl command lines that change something: which commands of the run each one stands for, and what kubectl prints
about the outcome.

A line becomes a ``KubectlAction``: commands of the run, each with the text kubectl prints once it is done. Nothing is
carried out here: a page submits the commands, and ``outcome`` reads the result from the records. A line that names an
object that does not exist, or combines flags that exclude each other, raises ``BadLine`` with kubectl's own message.
"""
