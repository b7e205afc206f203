/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders of the service itself, with its configuration and its state,
 * which the master names to its workers (proto/ipc/contract.h). */
#pragma once

#include <stdbool.h>

/* Is the path that of a private folder, or below one?  The path has no symbolic
 * link. */
bool private_has(const char *path);

/* Is the folder a private one, or does it contain a private folder or the
 * private key?  Resolves symbolic links; false if they cannot be resolved. */
bool private_is_in(const char *folder);

/* Is the file the private key, by whatever name? */
bool private_is_key(const char *file);

/* Removes the folder in which the stream of this worker records from the list
 * of folders in which streams record (WORKER_RECORDINGS_VARIABLE). */
void private_forget_recordings(const char *folder);
/* Is the folder one in which other streams record, or does it contain such a
 * folder?  Resolves symbolic links. */
bool private_has_recordings(const char *folder);

/* May a list play this file?  The writer of a list may lack access to the
 * configuration and to the recordings of other streams.  So a list plays only
 * files outside of both, and files below its own folder if that folder contains
 * nothing private.  The file and the list are absolute paths. */
bool private_list_may(const char *list, const char *file);
