"""Trials: planned configurations come in, raw files and journal lines in a bundle go out, one process at a time.

It knows nothing of ingest or analysis: the stop rule is handed to it. `session`, `bench` and the command line call it.
"""
