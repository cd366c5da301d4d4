#!/bin/sh
# How many tests run at once: one for each CPU that this process may use, but no more than memory is for (a worker with
# the libraries takes some 300 MB).
cpus=$(nproc)
[ "$cpus" -le 16 ] && echo "$cpus" || echo 16
