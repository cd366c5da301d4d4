"""One file that measures where nothing can be installed: a checkout comes in, a parcel goes out; on a host a parcel
comes in, and a run as one file goes out.

At home: `jdks` cuts JDKs, `contents` collects what is measured with, `packing` makes the file, whose beginning is of
`scripts` and `unpacking`. On the host: `host` is the command line, `measuring` measures, `doctor` says what is not
measured there; for a fleet `hello` says what the host is, and `worker` measures while it talks with the `coordinator`.
What runs on the host needs Python 3.9 and no package.
"""
