"""How results are said: numbers with their intervals come in, words go out; no other room rounds a number for a reader.

It knows only `ground`, and any room that speaks to a reader calls it.
"""
