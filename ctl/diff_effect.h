/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The effects of a configuration that replaces another one: which streams
 * start, stop, restart or continue, and whether the control process restarts.
 */
#pragma once

#include <jansson.h>

enum diff_effect {
	DIFF_AT_ONCE, /* nothing that runs is touched */
	DIFF_STARTS,
	DIFF_STOPS,
	DIFF_RESTARTS,
	DIFF_CONTINUES, /* the stream runs, and its worker continues */
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

/* Returns the ids of the streams with this effect, a new list; with
 * DIFF_CONTINUES, only of those that differ. */
json_t *diff_effect_streams(const json_t *from, const json_t *to,
			    enum diff_effect);
