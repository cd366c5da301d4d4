"""What to run here: an entry, a profile and this host come in, configurations in shuffled blocks go out.

`measure`, `bench` and what prints or explains a plan call it.
"""
