"""The files of a new experiment: a name comes in, an experiment that can be measured as it stands goes out.

It writes into the catalogue, the harness and the notebooks, and reads nothing of a run.
"""
