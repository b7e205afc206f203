/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders of the service itself, with its configuration and its state,
 * which the master names to its workers (proto/ipc/contract.h). */
#pragma once

#include <stdbool.h>

/* Is path one of these folders, or below one?  It has no symbolic link. */
bool private_has(const char *path);

/* Is the folder one of these, or does it contain one?  Resolves symbolic
 * links; a folder that cannot be resolved contains none. */
bool private_is_in(const char *folder);
