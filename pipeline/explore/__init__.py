"""Looking into runs in JupyterLab: a session comes in, controls (explorer) and charts of JupyterLab's own Vega-Lite
(charts, timeline_chart) go out; data says what is drawn, state what was chosen, export saves it as published figures
with their kits. `what_if` predicts a lock's throughput by threads; `live` runs the Java harness in the kernel.

Notebooks below notebooks/explore call it; nothing of it enters a report or a run.
"""
