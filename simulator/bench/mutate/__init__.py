"""Deliberate breakage: each version switch, number, text and fact and every row of a machine, one at a time; who notices?

``manage.py mutate`` says what no golden story and no engine test noticed. What is known to be unnoticed stands with its reason in a
kept file; anything else that is unnoticed is a gap in the tests, or a declaration on which nothing depends.
"""
