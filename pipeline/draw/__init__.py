"""Kinds of figure: tidy tables come in, a `Figure` goes out, each kind a pure function; title and origin are added
where it is shown.

Notebooks call the kinds, `session` shows and saves what they return.
"""
