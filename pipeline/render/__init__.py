"""render: what rooms make rows of, laid out: as lines of a terminal, as Markdown, and as pages that open from disk.

In: heads, rows of words, figures. Out: lines and HTML. What the words are, who makes the rows knows and `words` says.
"""
