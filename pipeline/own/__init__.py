"""People's own files: patterns come in, an ordinary run bundle goes out, and what may be said of it in a few lines.

What is in a file, `foreign` reads; who compares, draws and publishes the run knows nothing of where it came from.
"""
