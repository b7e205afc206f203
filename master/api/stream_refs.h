/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams that change because a softcam, an adapter or a category changes that
 * they refer to.
 *
 * A stream is never changed in place: others hold references to it.
 */
#pragma once

#include "master/api/command.h"

#include <jansson.h>

enum stream_fate {
	STREAM_KEPT,
	STREAM_RESTARTED, /* stays as it is */
	STREAM_CHANGED,   /* *ret_new, a new reference, takes its place */
	STREAM_FOLLOWS,   /* the same, and its process needs no other one */
	STREAM_REMOVED,
};

typedef enum stream_fate stream_refs_fn(const json_t *stream,
					json_t **ret_new, const void *arg);

/* Asks fn about every stream, stores the result, and makes workers and clients
 * follow: removals first, then restarts, then the changed ones, which keep the
 * verdict they had.  Returns the list of the changed ones, a new reference. */
json_t *stream_refs_follow(struct api *, stream_refs_fn *fn, const void *arg);

/* As stream_refs_follow(), but nothing changes: adds what would happen to
 * running streams. */
json_t *stream_refs_foresee(const struct api *, stream_refs_fn *fn,
			    const void *arg, json_t *effects);

/* A copy of the stream with another list of inputs, whose reference is
 * taken. */
json_t *stream_refs_inputs(const json_t *stream, json_t *take_inputs);
