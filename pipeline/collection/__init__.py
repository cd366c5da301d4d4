"""Runs of many hosts: what one gives away and what others gave come in, one answer across hosts goes out.

`redaction` and `share` make the file that leaves; `untrusted_tar`, `validation` and `imports` take one in that nobody
trusts; `summary` says what a run comes to in a few small files; `hosts`, `headlines` and `claims` read those of all
hosts; `pages` and `place` show them.
"""
