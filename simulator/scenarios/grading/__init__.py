"""The grader: what must hold in a run, decided record by record.

``check.py`` defines the form of a check, ``grader.py`` decides one check, ``attempt.py`` all checks of an attempt. The
browser has the same code (``static/js/learn/checks/``); ``tests/scenarios/grading.json`` keeps the two consistent.
"""
