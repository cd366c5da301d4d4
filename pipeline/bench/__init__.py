"""The laboratory against referees and against itself: kernels and referees come in, ratios with intervals go out.

Only the command line calls it (`lab bench`).
"""
