/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the events of a stream to memory, for the process that sends them as
 * EIT (tables/eit_image.h): a service at a time; between two services the
 * guide may change.
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
	bool events; /* false: the services without them */
};

/* fd (shared_create()) is taken. */
struct guide_eit *guide_eit_new(int fd, struct guide *,
				const struct guide_eit_config *,
				int64_t now_s);
/* NULL-safe; sets *e to NULL. */
void guide_eit_free(struct guide_eit **);

/* Writes the next service.  1: there are more; 0: that was the last one.  If
 * the memory does not hold all events, those far in the future are left out.
 * -ENOSPC: it does not hold even the events of an hour.  Or another -errno. */
int guide_eit_run(struct guide_eit *) MUST_CHECK;
/* Bytes that are written. */
size_t guide_eit_len(const struct guide_eit *);
/* A hash of the content, from 1 to INT64_MAX, so that a message can have it. */
uint64_t guide_eit_hash(const struct guide_eit *);
