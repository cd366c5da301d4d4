"""Raw files to tidy tables: a bundle and an entry come in, tables validated against their schemas go out.

`session`, `bench` and the stop rule call it; nothing downstream reads a raw file.
"""
