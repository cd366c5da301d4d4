"""compare: did anything change between two runs, two runtimes of one run, or several runs per side?

In: the bundles of the runs. Out: ratios with intervals and verdicts, what differs between the sides, figures, a page.
"""
