/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input of the packets that another stream sends, or an adapter receives, from
 * its ring.
 *
 * The ring of a stream outlives its writer, so a restart of its process is a
 * pause.  That of an adapter does not: the master gives us the next one.
 * Packets are copied once before they are checked, because another process can
 * write to the ring.
 */
#include "common/base/alloc.h"
#include "common/base/ring.h"
#include "worker/input/input_type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK = 256 * TS_PACKET, /* bytes of one read */
	READS_MAX = 64,          /* reads in one wake-up */
};

struct stream_input {
	struct input base;
	struct ring_reader *ring;
	uint64_t pos;
	struct ts_sync sync;
	uint64_t lost; /* packets that were overwritten before the read */
	uint8_t block[BLOCK];
};

/* The name of an adapter is its address. */
static const char *link_word(const struct input_spec *spec)
{
	return spec->kind == INPUT_DVB ? "" : "stream ";
}

static int stream_read(struct input *in, struct batch *batch, uint64_t now_ns,
		       struct errmsg *error)
{
	struct stream_input *s = container_of(in, struct stream_input, base);
	bool ok;
	uint64_t end = ring_reader_pos(s->ring, &ok), from = 0;
	uint64_t keep = ring_reader_size(s->ring) / 4 * 3;
	int reads = 0;

	(void)now_ns;
	if (!ok)
		return errmsg_fail(error, -EIO, "%s%s: its ring is damaged",
				   link_word(in->spec), in->spec->stream);
	/* the writer may be overwriting older positions */
	if (end > keep)
		from = (end - keep) / TS_PACKET * TS_PACKET;
	if (s->pos < from) {
		s->lost += (from - s->pos) / TS_PACKET;
		s->pos = from;
	}
	for (; s->pos < end && reads < READS_MAX; reads++) {
		size_t want = (size_t)MIN(end - s->pos, (uint64_t)BLOCK), len;
		off_t at = ring_file_offset(s->ring, s->pos, want, &len);
		ssize_t n = pread(in->spec->ring, s->block, len, at);

		if (n <= 0)
			return errmsg_fail(error, -EIO, "%s%s: %s",
					   link_word(in->spec),
					   in->spec->stream,
					   n < 0 ? strerror(errno)
						 : "no ring");
		s->pos += (uint64_t)n;
		batch_sync(batch, &s->sync, s->block, (size_t)n);
		batch_flush(batch);
	}
	return reads;
}

static void stream_counters(const struct input *in, struct input_counters *ret)
{
	const struct stream_input *s =
		container_of(in, const struct stream_input, base);

	*ret = (struct input_counters){
		.socket_drops = s->lost,
		.sync_losses = s->sync.sync_losses,
	};
}

static uint64_t stream_position(const struct input *in)
{
	return container_of(in, const struct stream_input, base)->pos;
}

static void stream_free(struct input *in)
{
	struct stream_input *s = container_of(in, struct stream_input, base);

	ring_reader_free(&s->ring);
	free(s);
}

static const struct input_ops stream_ops = {
	.roomy = true,
	.free = stream_free,
	.read = stream_read,
	.counters = stream_counters,
	.position = stream_position,
	.never_silent = true,
};

/* The newest packet, or the wanted one if the ring is sure to have it. */
static uint64_t start_of(struct ring_reader *ring, uint64_t wanted)
{
	bool ok;
	uint64_t newest = ring_reader_pos(ring, &ok) / TS_PACKET * TS_PACKET;

	if (wanted == 0 || wanted % TS_PACKET != 0 || wanted > newest ||
	    newest - wanted > ring_reader_size(ring) / 2)
		return newest;
	return wanted;
}

struct input *stream_input_open(const struct input_spec *spec, uint64_t now_ns,
				int *ret_err, struct errmsg *error)
{
	struct ring_reader *ring = NULL;
	struct stream_input *s;

	(void)now_ns;
	*ret_err = -ENOENT;
	if (spec->ring >= 0)
		ring = ring_reader_new(spec->ring, ret_err);
	if (ring == NULL) {
		errmsg_set(error, "%s%s %s", link_word(spec), spec->stream,
			   spec->ring < 0 ? "is not there, or not enabled"
					  : strerror(-*ret_err));
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	s->base = (struct input){ .ops = &stream_ops, .spec = spec, .fd = -1 };
	s->ring = ring;
	s->pos = start_of(ring, spec->ring_from);
	ts_sync_init(&s->sync, TS_SYNC_DATAGRAM);
	return &s->base;
}

struct input *dvb_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *error)
{
	return stream_input_open(spec, now_ns, ret_err, error);
}
