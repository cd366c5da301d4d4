"""Other tools' files: bytes come in, recognised by what is in them; windows of histograms in ns, values, checks go out.

It knows nothing of runs: `own` makes a run of what it reads, and `ingest` the tables.
"""
