"""What a notebook holds: a run comes in, what it computes (computed, choices, session, under_load, closed_queue,
contention, pauses), shows (display, figures, findings) and keeps (results) goes out.

Notebooks call it, and the command line for its listings; `publish` reads what it kept.
"""
