/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the events of a stream to memory, for the process that sends them as
 * EIT (tables/eit_image.h).  Writes one service in each call; between two calls
 * the guide may change.
 *
 * Owns the descriptor; borrows the guide.
 */
#pragma once

#include "common/base/util.h"
#include "worker/epg/event_write.h"
#include "worker/epg/guide.h"

struct guide_eit;

struct guide_eit_config {
	const char *stream;
	struct event_format format;
	bool events; /* false: the memory gets the services without events */
};

/* Takes fd, the memory (shared_create()). */
struct guide_eit *guide_eit_new(int fd, struct guide *,
				const struct guide_eit_config *,
				int64_t now_s);
/* NULL-safe; sets *e to NULL. */
void guide_eit_free(struct guide_eit **);

/* Writes the next service.  Returns 1: call it again; 0: the memory is
 * complete; -ENOSPC: it has no room for the events of even one hour; or another
 * -errno.  If the memory has no room for all events, events far in the future
 * are omitted. */
int guide_eit_run(struct guide_eit *) MUST_CHECK;
/* The number of bytes that were written to the memory. */
size_t guide_eit_len(const struct guide_eit *);
/* A hash of the memory, from 1 to INT64_MAX, so that a message can have it. */
uint64_t guide_eit_hash(const struct guide_eit *);
