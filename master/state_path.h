/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of a state file beside the configuration. */
#pragma once

/*
 * NAME.json in the state folder (the first of STATE_DIRECTORY of systemd), else
 * FILE.NAME beside the configuration FILE; NULL without a configuration file.
 * free() it.
 */
char *state_path(const char *config_path, const char *state_directory,
		 const char *name);
