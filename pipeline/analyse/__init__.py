"""Tables to answers: trials come in, metrics, estimates, effects and verdicts go out, each a pure function.

`session` and `bench` call it; it draws nothing and measures nothing.
"""
