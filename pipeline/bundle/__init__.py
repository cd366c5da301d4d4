"""The run on disk: a folder comes in, its checked journal, `run.json` and verified raw bytes go out (and lines go in).

Every room from `measure` on may call it; nobody else opens a file of a run.
"""
