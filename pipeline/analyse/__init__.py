"""analyse: pure functions of tables, from trials to metrics, estimates, effects and verdicts."""
