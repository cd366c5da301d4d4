"""The laboratory against referees and against itself: kernels and referees come in, ratios with intervals go out.

Studies of the collection stand here too: changed files, kills and thousands of hosts come in, and what breaks goes out.
Only the command line calls it (`lab bench`).
"""
