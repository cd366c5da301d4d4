#pragma once

/*
 * Files that must not outlive the process. Whatever is tracked is unlinked when the process exits or is ended by
 * SIGINT, SIGTERM or SIGHUP. Not thread safe: track from one thread.
 */

/* Tracks `path` (made absolute by the caller if the working directory changes). At most 64 paths. */
void temporary_track(const char *path);

/* Stops tracking `path`: it now belongs to the user, or has been removed already. */
void temporary_release(const char *path);
