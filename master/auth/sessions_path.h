/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the login sessions are kept. */
#pragma once

/*
 * sessions.json in the state folder (STATE_DIRECTORY of systemd, the first of
 * several), else FILE.sessions beside the configuration; NULL without a
 * configuration file.  free() it.
 */
char *sessions_path(const char *config_path, const char *state_directory);
