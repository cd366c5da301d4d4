"""Models that explain measurements; each is a pure function of per-trial numbers and works on any data."""
