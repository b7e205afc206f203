/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values of single fields of a session description, behind "x=".
 *
 * Each function parses its value in place.  0, or -EINVAL with error, to which
 * the caller adds line and field.  Pure; only for the files of this folder.
 */
#pragma once

#include "worker/sdp/sdp.h"

/* Takes the next word, separated by spaces, off *rest; NULL: none. */
char *sdp_word(char **rest);

int sdp_read_origin(char *value, char ret[SDP_ORIGIN_MAX + 1],
		    struct errmsg *error) MUST_CHECK;
int sdp_read_connection(char *value, struct sdp_connection *ret,
			struct errmsg *error) MUST_CHECK;
int sdp_read_media(char *value, struct sdp_media *ret,
		   struct errmsg *error) MUST_CHECK;
int sdp_read_rtpmap(char *value, struct sdp_media *ret,
		    struct errmsg *error) MUST_CHECK;
int sdp_read_filter(char *value, struct sdp_filters *ret,
		    struct errmsg *error) MUST_CHECK;
int sdp_read_group(char *value, struct sdp_group *ret,
		   struct errmsg *error) MUST_CHECK;
int sdp_read_token(const char *value, char ret[SDP_TOKEN_MAX + 1],
		   struct errmsg *error) MUST_CHECK;
