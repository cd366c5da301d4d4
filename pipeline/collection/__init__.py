"""Runs of many hosts: what one gives away and what others gave come in, one answer across hosts goes out.

`telling` and `share` make the file that leaves; `opened`, `checked` and `contributed` take one in that nobody trusts;
`summary` says what a run comes to in a few small files; `hosts`, `levels` and `claims` read those of all hosts; `pages`
and `place` show them.
"""
