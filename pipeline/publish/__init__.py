"""The report: notebooks are executed, and what they kept and drew becomes pages that open from disk.

Only the command line calls it.
"""
