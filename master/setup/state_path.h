/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of a state file, in the state folder or beside the configuration. */
#pragma once

#include <stddef.h>

/*
 * The state folder in STATE_DIRECTORY of systemd, a list separated by colons;
 * not terminated.  systemd sorts the list, so that its order means nothing: of
 * several folders it is the one whose name ends with "-state", else the first.
 * NULL: there is none.
 */
const char *state_folder(const char *state_directory, size_t *len);

/*
 * NAME.json in the state folder, else FILE.NAME beside the configuration FILE;
 * NULL without a configuration file.  free() it.
 */
char *state_path(const char *config_path, const char *state_directory,
		 const char *name);
/* The same with STATE_DIRECTORY of this process. */
char *state_file(const char *config_path, const char *name);
