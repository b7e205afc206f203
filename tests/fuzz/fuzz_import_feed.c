/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a document of XMLTV, plain or in gzip, whole and in
 * pieces: what is taken stays in the limits of the guide, is the same in both
 * and has no event that overlaps another.
 */
#include "tests/fuzz/fuzz.h"
#include "worker/epg/guide_state.h"
#include "worker/epg/import_feed.h"

#include <stdlib.h>

enum {
	NOW_S = 1548158400, /* 2019-01-22 12:00 UTC */
	SERVICES = 3,
	BYTES = 1 << 16,
	INPUT_MAX = 16 << 10,
	/* gzip unpacks a thousand times as many bytes: the limit ends that */
	DOCUMENT_MAX = 64 << 10,
	/* Pieces are small where the document is, and few where it is long:
	 * the parser reads a long tag again with each piece. */
	PIECES = 24,
	TURNS_MAX = 1 << 16,
};

static struct guide *import(const uint8_t *data, size_t size, size_t piece,
			    int *ret)
{
	struct guide *g = guide_new(&(struct guide_limits){
		.services = SERVICES, .days = 7, .bytes = BYTES,
		.imports = true });
	const uint16_t one = 7, two[] = { 1, 2 };
	struct import_feed *f;
	struct buf b = { 0 };
	struct guide_import_counts counts;
	struct errmsg error;
	size_t at = 0, turns = 0;

	guide_know_stream(g, "a", "a.tv");
	guide_set_programs(g, "a", &one, 1);
	guide_know_stream(g, "m", "");
	guide_set_programs(g, "m", two, 2);
	f = import_feed_new(g, NOW_S, DOCUMENT_MAX);
	do {
		size_t n = size - at < piece ? size - at : piece;

		buf_append(&b, data + at, n);
		at += n;
		*ret = import_feed_run(f, &b, at == size, &error);
		if (++turns > TURNS_MAX)
			abort();
	} while (*ret > 0);
	while (*ret == 0 && import_feed_commit(f, &counts))
		continue;
	import_feed_free(&f);
	buf_done(&b);
	return g;
}

static void judge(const struct guide *g)
{
	const struct guide_stream *s;

	if (guide_count(g).services > SERVICES || guide_count(g).bytes > BYTES)
		abort();
	LIST_FOREACH(s, &g->streams, link)
		for (size_t i = 0; i < s->n; i++)
			for (size_t k = 1; k < s->services[i]->n; k++)
				if (guide_event_end(
					    s->services[i]->events[k - 1]) >
				    s->services[i]->events[k]->start_s)
					abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct guide *whole, *parts;
	int first, second;

	if (size == 0 || size > INPUT_MAX)
		return 0;
	whole = import(data, size, INPUT_MAX, &first);
	parts = import(data, size, 1 + size / PIECES, &second);
	if (first != second ||
	    guide_count(whole).events != guide_count(parts).events)
		abort();
	judge(whole);
	guide_free(&whole);
	guide_free(&parts);
	return 0;
}
