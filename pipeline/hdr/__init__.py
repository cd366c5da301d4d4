"""HdrHistogram: logs and payloads come in, counts and percentiles by the Java library's rules go out.

It knows nothing of runs or experiments: any room may call it, and `lab hlog` does for files from elsewhere.
"""
