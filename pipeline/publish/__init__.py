"""publish: execute the notebooks and build the report."""
