/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stores messages about streams that arrive while the saved guide is being
 * loaded.
 *
 * Embedded.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* stored messages; further ones are dropped */
enum { STREAM_NEWS_MAX = 30000 };

struct guide;

struct stream_news {
	STAILQ_HEAD(, stream_item) list;
	size_t n;
};

void stream_news_init(struct stream_news *);
void stream_news_done(struct stream_news *);

/* Applies a message about a stream to the guide.  Returns the number of
 * changes. */
uint64_t stream_news_apply(struct guide *, const struct msg_epg_stream *);
/* Stores a message, unless STREAM_NEWS_MAX are stored. */
void stream_news_keep(struct stream_news *, const struct msg_epg_stream *);
/* Applies the stored messages in their order, and frees them.  Returns the
 * number of changes. */
uint64_t stream_news_give(struct stream_news *, struct guide *);
