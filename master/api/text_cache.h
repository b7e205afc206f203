/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of a large reply that is the same for many clients: pages that open
 * at once must not wait for each other while it is made.  With observer_redact
 * observers share a text of their own.  A client that accepts gzip gets it
 * compressed (RFC 9110 8.4.1.3), which is made once as well.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct reply;

struct cached_text {
	char *text; /* NULL: none */
	size_t len;
	uint8_t *packed; /* the same in gzip; NULL: no client wanted it */
	size_t packed_len;
	uint64_t key;     /* the text is of this version */
	uint64_t made_ms; /* mono_ms() */
};

struct text_cache {
	struct cached_text whole, reduced;
	/* bytes: a shorter text is made for each reply, and not compressed */
	size_t least;
};

/* Replies with the text if it is of this version and at most max_age_ms old (0:
 * any age).  False: make it. */
bool text_cache_reply(struct text_cache *, uint64_t key, unsigned max_age_ms,
		      struct reply *);
/* Keeps the text of body (taken) as this caller receives it, and replies with
 * it. */
void text_cache_put(struct text_cache *, uint64_t key, json_t *take_body,
		    struct reply *);
/* As text_cache_put(), with a further member of the body: its value is JSON
 * that this caller may receive. */
void text_cache_put_with(struct text_cache *, uint64_t key, json_t *take_body,
			 const char *name, const struct buf *value,
			 struct reply *);
/* As text_cache_put(), for a text that every caller may receive (taken; from
 * malloc()). */
void text_cache_put_text(struct text_cache *, uint64_t key, char *take_text,
			 struct reply *);
/* The version of the text that this caller would receive; 0: there is none. */
uint64_t text_cache_key(struct text_cache *, const struct reply *);
void text_cache_done(struct text_cache *);
