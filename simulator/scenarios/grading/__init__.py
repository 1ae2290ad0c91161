"""The grader: what must hold in a run, decided record by record.

``check.py`` is the form, ``grader.py`` decides one check, ``attempt.py`` all checks of an attempt. The browser has the same
(``static/js/learn/grading/``); ``tests/scenarios/grading.json`` holds the two together.
"""
