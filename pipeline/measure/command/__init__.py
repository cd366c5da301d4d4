"""The harness of users' programs. In: a command line in a file. Out: the JSON of the harness contract.

Its two files are a program of their own, of the standard library alone; nothing here imports them.
"""
