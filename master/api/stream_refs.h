/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams that change because they refer to a changed softcam, adapter or
 * category.
 *
 * A changed stream is a new object: other modules hold references to the old
 * one.
 */
#pragma once

#include "master/api/command.h"

#include <jansson.h>

enum stream_fate {
	STREAM_KEPT,
	STREAM_RESTARTED, /* the stream is unchanged; its process restarts */
	/* the stream is replaced by *ret_new, a new reference */
	STREAM_CHANGED,
	STREAM_FOLLOWS,   /* as STREAM_CHANGED, but its process continues */
	STREAM_REMOVED,
};

typedef enum stream_fate stream_refs_fn(const json_t *stream,
					json_t **ret_new, const void *arg);

/* Calls fn for every stream, stores the results, and updates workers and event
 * clients: first the removed streams, then the restarted ones, then the changed
 * ones.  A stream that did not run because of an error still does not run.
 * Returns the list of the changed streams, a new reference. */
json_t *stream_refs_follow(struct api *, stream_refs_fn *fn, const void *arg);

/* As stream_refs_follow(), but changes nothing, and adds the effects that the
 * changes would have on running streams to effects. */
json_t *stream_refs_foresee(const struct api *, stream_refs_fn *fn,
			    const void *arg, json_t *effects);

/* Returns a copy of the stream with another list of inputs (taken). */
json_t *stream_refs_inputs(const json_t *stream, json_t *take_inputs);
