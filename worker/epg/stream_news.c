/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/stream_news.h"

#include "common/base/alloc.h"
#include "worker/epg/guide.h"

#include <stdlib.h>

struct stream_item {
	STAILQ_ENTRY(stream_item) link;
	struct msg_epg_stream stream; /* owns its strings */
};

void stream_news_init(struct stream_news *n)
{
	*n = (struct stream_news){ 0 };
	STAILQ_INIT(&n->list);
}

uint64_t stream_news_apply(struct guide *g, const struct msg_epg_stream *s)
{
	uint64_t changes = 0;

	if (s->was[0] != '\0') {
		guide_rename_stream(g, s->was, s->stream);
		changes++;
	}
	if (s->removed) {
		guide_remove_stream(g, s->stream);
		return changes + 1;
	}
	guide_know_stream(g, s->stream, s->channel);
	guide_set_own(g, s->stream, &s->own);
	guide_set_own_other(g, s->stream, (enum eit_other)s->own_other);
	if (text_table_ok(s->codepage))
		guide_set_codepage(g, s->stream,
				   (enum text_table)s->codepage);
	return changes;
}

void stream_news_keep(struct stream_news *n, const struct msg_epg_stream *s)
{
	struct stream_item *item;

	if (n->n == STREAM_NEWS_MAX)
		return;
	item = xcalloc(1, sizeof *item);
	item->stream = *s;
	item->stream.stream = xstrdup(s->stream);
	item->stream.was = xstrdup(s->was);
	item->stream.channel = xstrdup(s->channel);
	STAILQ_INSERT_TAIL(&n->list, item, link);
	n->n++;
}

static void drop_first(struct stream_news *n)
{
	struct stream_item *item = STAILQ_FIRST(&n->list);

	STAILQ_REMOVE_HEAD(&n->list, link);
	n->n--;
	free((char *)(uintptr_t)item->stream.stream);
	free((char *)(uintptr_t)item->stream.was);
	free((char *)(uintptr_t)item->stream.channel);
	free(item);
}

uint64_t stream_news_give(struct stream_news *n, struct guide *g)
{
	uint64_t changes = 0;

	for (; n->n > 0; drop_first(n))
		changes += stream_news_apply(g,
					     &STAILQ_FIRST(&n->list)->stream);
	return changes;
}

void stream_news_done(struct stream_news *n)
{
	while (n->n > 0)
		drop_first(n);
}
