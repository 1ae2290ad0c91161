"""Mutation testing: each version switch, number, text and fact and every row of a machine is broken, one at a time; which tests notice?

``manage.py mutate`` reports what no golden story and no engine test noticed. Known survivors are listed with their reasons in a kept file;
any other survivor is a gap in the tests, or a declaration on which nothing depends.
"""
