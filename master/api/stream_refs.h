/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams that change because something they name does: a softcam, an
 * adapter, a category.
 *
 * A stream is never changed in place: others hold references to it.
 */
#pragma once

#include "master/api/command.h"

#include <jansson.h>

/* What becomes of a stream. */
enum rewrite_fate {
	REWRITE_NONE,    /* is not concerned */
	REWRITE_TOUCHED, /* stays as it is, but is to be restarted */
	REWRITE_CHANGED, /* *ret_new, a new reference, takes its place */
	REWRITE_REMOVED,
};

typedef enum rewrite_fate rewrite_fn(const json_t *stream, json_t **ret_new,
				     const void *arg);

struct rewrite {
	json_t *touched; /* objects; each list in the order of the streams */
	json_t *changed;
	json_t *removed;
};

/* Asks fn about every stream and stores what comes of it; nobody is told yet.
 * End with rewrite_done(). */
void rewrite_streams(struct api *, rewrite_fn *fn, const void *arg,
		     struct rewrite *ret);
void rewrite_done(struct rewrite *);

/* Makes those who run them and the clients follow: removals first, then the
 * changed ones, which keep the verdict they had.  Touched ones are started
 * anew. */
void rewrite_apply(struct api *, const struct rewrite *);

/* A copy of the stream with another list below key; its reference is taken. */
json_t *rewrite_list(const json_t *stream, const char *key, json_t *list);
