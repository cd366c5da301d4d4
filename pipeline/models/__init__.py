"""Models that explain: numbers, one per trial, come in, parameters with intervals and a sentence go out.

They know no experiment and no table of ours; `analyse`, `session`, notebooks and `lab fit` call them.
"""
