/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network information and bouquet association (EN 300 468 5.2.1, 5.2.2). */
#include "worker/si/table.h"

static void put_stream(struct bits *b, json_t *streams)
{
	uint64_t tsid = bits_take(b, 16);
	uint64_t onid = bits_take(b, 16);
	struct desc_loop loop;
	json_t *stream;

	bits_skip(b, 4);
	loop = si_take_loop(b);
	if (b->cut)
		return;
	stream = si_add_object(streams);
	si_put_uint(stream, "tsid", tsid);
	si_put_uint(stream, "onid", onid);
	si_put_descriptors(stream, loop);
}

/* Both tables are the same behind their first number. */
static void put_streams(struct bits *b, json_t *record)
{
	struct bytes loop;
	struct bits inner;
	json_t *streams;

	bits_skip(b, 4);
	si_put_descriptors(record, si_take_loop(b));
	bits_skip(b, 4);
	loop = bits_bytes(b, (size_t)bits_take(b, 12));
	inner = bits_of(loop.data, loop.len);
	streams = si_put_list(record, "streams");
	while (!bits_end(&inner))
		put_stream(&inner, streams);
	b->cut |= inner.cut;
}

void si_nit(struct si_section *s, json_t *record)
{
	si_put_uint(record, "network_id", s->extension);
	put_streams(&s->body, record);
}

void si_bat(struct si_section *s, json_t *record)
{
	si_put_uint(record, "bouquet_id", s->extension);
	put_streams(&s->body, record);
}
