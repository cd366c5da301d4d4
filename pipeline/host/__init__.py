"""What this machine is: the kernel's and the runtimes' own words come in, a fingerprint, its CPUs and its JDKs go out.

Every room but `hdr` and `catalogue` may call it.
"""
