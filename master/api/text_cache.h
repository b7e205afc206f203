/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of a large reply that is the same for many clients: pages that open
 * at once must not wait for each other while it is made.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reply;

struct text_cache {
	char *text; /* NULL: none */
	size_t len;
	uint64_t key;     /* the text is of this version */
	uint64_t made_ms; /* mono_ms() */
};

/* Replies with the text if it is of this version and at most max_age_ms old (0:
 * any age).  False: make it. */
bool text_cache_reply(struct text_cache *, uint64_t key, unsigned max_age_ms,
		       struct reply *);
/* Keeps the text of body (taken), and replies with it. */
void text_cache_put(struct text_cache *, uint64_t key, json_t *take_body,
		    struct reply *);
void text_cache_done(struct text_cache *);
