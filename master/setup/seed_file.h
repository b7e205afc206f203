/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed of the sessions of HLS, which outlives the service: players go on
 * with the playlists that were named for them. */
#pragma once

#include <jansson.h>
#include <stdint.h>

/* Reads the file, or writes a new one.  A random seed without a path, a file
 * that can be used, or the setting hls_session_playlists.  Above 0, and JSON
 * can hold it. */
uint64_t seed_file(const char *config_path, const json_t *settings);

/* The service uses this seed, which may be that of the previous master.  If
 * hls_session_playlists is set, writes it to the file. */
void seed_file_keep(const char *config_path, const json_t *settings,
		    uint64_t seed);
