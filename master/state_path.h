/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the master keeps what it must remember beside the configuration. */
#pragma once

/*
 * NAME.json in the state folder (STATE_DIRECTORY of systemd, the first of
 * several), else FILE.NAME beside the configuration; NULL without a
 * configuration file.  free() it.
 */
char *state_path(const char *config_path, const char *state_directory,
		 const char *name);
