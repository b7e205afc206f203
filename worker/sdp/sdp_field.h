/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses the values of single fields of a session description: the text behind
 * "x=".
 *
 * Each function whose value is not const modifies it.  Each sdp_read_*()
 * returns 0, or -EINVAL with error, which does not name line and field: the
 * caller adds them.  Pure; only for the files of this folder.
 */
#pragma once

#include "worker/sdp/sdp.h"

/* Takes the next word off the front of *rest; words are separated by blanks.
 * NULL: none is left. */
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
