/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the effects if the configuration `to' replaces `from': which streams
 * start, stop, restart or continue, and whether the control process restarts.
 */
#pragma once

#include <jansson.h>

enum diff_effect {
	DIFF_AT_ONCE, /* no process starts, stops or restarts */
	DIFF_STARTS,
	DIFF_STOPS,
	DIFF_RESTARTS,
	DIFF_CONTINUES, /* the stream is enabled, and its worker continues */
	DIFF_CONTROL,   /* the control process restarts, streams continue */
	DIFF_EFFECTS,
};

/* Returns the name of an effect for JSON, such as "starts". */
const char *diff_effect_name(enum diff_effect);

/* The effect on the stream with this id. */
enum diff_effect diff_effect_of(const json_t *from, const json_t *to,
				const char *id);

/* The effect of an entry of json_diff(from, to). */
enum diff_effect diff_effect_of_change(const json_t *from, const json_t *to,
				       const json_t *change);

/* Returns the ids of the streams with this effect, a new list.  With
 * DIFF_CONTINUES, only of streams whose configuration differs. */
json_t *diff_effect_streams(const json_t *from, const json_t *to,
			    enum diff_effect);
