"""What every room stands on: errors and their exit statuses, the only source of paths, digests, writing that lasts.

It knows no other room.
"""
