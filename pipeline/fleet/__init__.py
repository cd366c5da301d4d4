"""The same questions on many machines: a `fleet.yaml` comes in, runs of its hosts and the pages of them go out.

On a host: `hello` says what it is, `work` measures and packs, `task` is what its Dask worker is asked for, `left` ends
what a lost connection left behind. On the coordinator: `config` reads the file, `hosts` asks and judges, `push` copies
the Lab, `launch` and `existing` bring workers, `run` asks each for its part, `gather` checks what arrives, `rows` show
how far it is, `report` writes the pages.
"""
