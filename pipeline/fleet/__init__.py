"""The same questions on many machines: a `fleet.yaml` comes in, runs of its hosts and the pages of them go out.

`config` reads the file, `connection` is `ssh`, `hosts` asks and judges, `push` copies the parcel with which all measure
(what runs on a host is of the room `parcel`), `coordinate` and `run` measure, `gather` checks what arrives, `rows` show
how far it is, `report` writes the pages.
"""
