"""The command line: words of a user come in, one call of the room that does it goes out, and an exit status.

No room calls it.
"""
