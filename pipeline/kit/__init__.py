"""The publishing kit: a drawn figure comes in, and files and texts to paste go out, one text per platform; they carry
where they come from, so that `check` can redraw and compare them.

The command line calls it, and the explorer's Keep.
"""
