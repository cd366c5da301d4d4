"""versus: builds of a user's program, measured side by side until a difference is known.

In: command lines. Out: a run that brings its entry, whose blocks hold every command once and the first one twice.
"""
