/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the path of a state file, in the state folder or next to the
 * configuration. */
#pragma once

#include <stddef.h>

/*
 * Returns the state folder of STATE_DIRECTORY of systemd (a list separated by
 * colons), *len bytes without NUL; NULL: there is none.  systemd sorts the
 * list, so its order has no meaning: of several folders, returns the one whose
 * name ends with "-state", else the first.
 */
const char *state_folder(const char *state_directory, size_t *len);

/*
 * Returns NAME.json in the state folder; without one, FILE.NAME next to the
 * configuration FILE; NULL: there is no configuration file (config_path NULL).
 * free() it.
 */
char *state_path(const char *config_path, const char *state_directory,
		 const char *name);
/* As state_path(), with STATE_DIRECTORY of this process. */
char *state_file(const char *config_path, const char *name);
