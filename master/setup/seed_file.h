/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed for the session numbers of HLS.  It is stored across restarts, so
 * that players can continue with the playlists that were named for them. */
#pragma once

#include <jansson.h>
#include <stdint.h>

/* Returns the seed of the file, or a random one, which it writes if the file
 * has none.  If the setting hls_session_playlists is off, or there is no path,
 * returns a random seed without a file.  The seed is above 0, and fits into
 * JSON. */
uint64_t seed_file(const char *config_path, const json_t *settings);

/* To be called with the seed that the service uses, perhaps that of the
 * previous master: writes it to the file if hls_session_playlists is set. */
void seed_file_keep(const char *config_path, const json_t *settings,
		    uint64_t seed);
