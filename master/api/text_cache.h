/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of a large reply, made once for many clients, so that clients which
 * request it at the same time do not wait for each other.  With
 * observer_redact, observers share a text of their own.  A client that accepts
 * gzip gets the text compressed (RFC 9110 8.4.1.3), unless the text is short;
 * it is also compressed only once.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct reply;

struct cached_text {
	char *text; /* NULL: not made yet */
	size_t len;
	/* the text as gzip; NULL: not made yet, because no client has accepted
	 * gzip */
	uint8_t *packed;
	size_t packed_len;
	uint64_t key;     /* version of the content, as the caller counts */
	uint64_t made_ms; /* mono_ms() when the text was made */
};

struct text_cache {
	/* whole: the text for control users, and for observers if they get the
	 * same.  reduced: the text for observers with observer_redact. */
	struct cached_text whole, reduced;
	/* A text of fewer bytes is made anew for each reply and is not
	 * compressed. */
	size_t least;
};

/* Replies with the text if it has this version and is at most max_age_ms old
 * (0: any age).  False: there is no such text; the caller makes it. */
bool text_cache_reply(struct text_cache *, uint64_t key, unsigned max_age_ms,
		      struct reply *);
/* Stores the text of body (taken) as this caller may receive it, and replies
 * with it. */
void text_cache_put(struct text_cache *, uint64_t key, json_t *take_body,
		    struct reply *);
/* As text_cache_put(), and adds the member `name' to the body.  value: JSON
 * text, already in the form that this caller may receive. */
void text_cache_put_with(struct text_cache *, uint64_t key, json_t *take_body,
			 const char *name, const struct buf *value,
			 struct reply *);
/* As text_cache_put(), for a text that every caller may receive (taken; from
 * malloc()). */
void text_cache_put_text(struct text_cache *, uint64_t key, char *take_text,
			 struct reply *);
/* Returns the version of the stored text for this caller; 0: none. */
uint64_t text_cache_key(struct text_cache *, const struct reply *);
void text_cache_done(struct text_cache *);
