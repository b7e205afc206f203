/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input of the packets that another stream sends, or an adapter receives, from
 * its ring.
 *
 * The ring of a stream outlives its writer, so a restart of its process is a
 * pause.  The ring of an adapter does not outlive its writer: the master sends
 * the next ring.  Packets are copied once before they are checked, because
 * another process can write to the ring.
 *
 * For one program of several the ring is mapped: the headers of all packets are
 * read there, and only the packets that program_filter.h chooses are copied.
 * While it cannot be mapped, for lack of memory or address space, a copy of the
 * packets takes its place.
 *
 * The small ring of a feed is mapped, too: a multiplex reads many of them, and
 * a system call for each read would cost more than the copy.
 */
#include "common/base/alloc.h"
#include "common/base/ring.h"
#include "worker/input/input_type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BLOCK_PACKETS = 256,
	BLOCK = BLOCK_PACKETS * TS_PACKET, /* bytes of one read */
	READS_MAX = 64,                    /* most reads in one stream_read() */
	HEADER = 4,
	PAGE = 4096,
};

struct stream_input {
	struct input base;
	struct ring_reader *ring;
	uint64_t pos; /* position in the ring of the next read */
	struct ts_sync sync;
	uint64_t lost; /* packets that were overwritten before the read */
	/* chooses packets; NULL: reads all packets */
	struct program_filter *filter;
	/* BLOCK bytes, for a filter without a mapped ring; NULL: not needed
	 * yet */
	uint8_t *copy;
	size_t n;         /* packets in the block, with a filter */
	bool mapped;      /* the ring is mapped even without a filter */
	uint64_t opened_pos; /* pos at the opening */
	bool was_bad;     /* the last header had no sync byte */
	uint32_t skipped; /* packets skipped since the last chosen packet */
	/* packets skipped in front of each packet in the block */
	uint32_t before[BLOCK_PACKETS];
	struct ts_skips skips;
	uint8_t block[BLOCK];
};

/* The word in front of the name of the source: "stream ".  An adapter has none,
 * because its name is its address. */
static const char *link_word(const struct input_spec *spec)
{
	return spec->kind == INPUT_DVB ? "" : "stream ";
}

/* Maps the pages of a read with one call, which costs less than a page fault
 * for each.  After one whole pass over the ring all pages are mapped.  A
 * failure does no harm. */
static void map_pages(const struct stream_input *s, const uint8_t *from,
		      size_t len)
{
	uintptr_t at = (uintptr_t)from & ~(uintptr_t)(PAGE - 1);

	if (s->pos - s->opened_pos <= ring_reader_size(s->ring))
		(void)madvise((void *)at, (uintptr_t)from + len - at,
			      MADV_POPULATE_READ);
}

/* Reads up to a block from the position on.  Returns its length, or -errno. */
static ssize_t read_ring(const struct stream_input *s, uint8_t *block,
			 uint64_t end)
{
	size_t want = (size_t)MIN(end - s->pos, (uint64_t)BLOCK), len;
	const uint8_t *from;
	ssize_t n;
	off_t at;

	if (s->mapped) {
		from = ring_reader_at(s->ring, s->pos, want, &len);
		map_pages(s, from, len);
		memcpy(block, from, len);
		return (ssize_t)len;
	}
	at = ring_file_offset(s->ring, s->pos, want, &len);
	n = pread(s->base.spec->ring, block, len, at);
	return n < 0 ? -errno : n > 0 ? n : -ENODATA;
}

static int fail_read(const struct stream_input *s, int err,
		     struct errmsg *error)
{
	return errmsg_fail(error, -EIO, "%s%s: its ring buffer cannot be read: "
			   "%s",
			   link_word(s->base.spec), s->base.spec->stream,
			   strerror(err));
}

/* --- one program --- */

static void skip_bad(struct stream_input *s)
{
	s->sync.bad_sync += !s->was_bad;
	s->sync.sync_losses += s->was_bad;
	s->was_bad = true;
}

/* Copies those of n packets in a row of the ring that the filter chooses, as
 * many as the block has room for.  Returns how many packets it has looked
 * at. */
static size_t pick(struct stream_input *s, const uint8_t *from, size_t n)
{
	const uint8_t *marks = program_filter_marks(s->filter);
	size_t i = 0;

	for (; i < n && s->n < BLOCK_PACKETS; i++, from += TS_PACKET) {
		uint8_t *to = s->block + s->n * TS_PACKET, head[HEADER], mark;

		s->skipped++;
		/* reads the header once, because the writer may change it */
		memcpy(head, from, sizeof head);
		if (head[0] != TS_SYNC_BYTE) {
			skip_bad(s);
			continue;
		}
		s->was_bad = false;
		mark = marks[ts_pid(head)];
		if (mark == 0)
			continue;
		memcpy(to, from, TS_PACKET);
		if (memcmp(to, head, sizeof head) != 0)
			continue;
		s->before[s->n++] = s->skipped - 1;
		s->skipped = 0;
		if (mark == PROGRAM_TABLE)
			program_filter_feed(s->filter, to);
	}
	return i;
}

/* Returns the packets from the position on, in the mapped ring or in the copy.
 * *ret_n: their number, or -errno. */
static const uint8_t *packets_at(struct stream_input *s, uint64_t end,
				 ssize_t *ret_n)
{
	const uint8_t *at;
	size_t len;

	if (ring_reader_map(s->ring, s->base.spec->ring) == 0) {
		at = ring_reader_at(s->ring, s->pos, end - s->pos, &len);
		*ret_n = (ssize_t)(len / TS_PACKET);
		return at;
	}
	if (s->copy == NULL)
		s->copy = xmalloc(BLOCK);
	*ret_n = read_ring(s, s->copy, end);
	if (*ret_n > 0)
		*ret_n = *ret_n < TS_PACKET ? -EIO : *ret_n / TS_PACKET;
	return s->copy;
}

/* Reads until the block is full, or up to `end'.  1; -errno; 0: the writer has
 * overwritten what was read, so the packets are lost and the block is not
 * valid. */
static int pick_block(struct stream_input *s, uint64_t end)
{
	uint64_t from = s->pos;

	s->n = 0;
	while (s->pos < end && s->n < BLOCK_PACKETS) {
		ssize_t n;
		const uint8_t *at = packets_at(s, end, &n);

		if (n < 0)
			return (int)n;
		s->pos += pick(s, at, (size_t)n) * TS_PACKET;
	}
	if (ring_reader_has(s->ring, from))
		return 1;
	s->lost += (s->pos - from) / TS_PACKET;
	return 0;
}

static int read_program(struct stream_input *s, uint64_t end,
			struct batch *batch, struct errmsg *error)
{
	int reads = 0, r = 1;

	end = MIN(end, s->pos + READS_MAX * (uint64_t)BLOCK);
	while (s->pos < end && r > 0) {
		r = pick_block(s, end);
		if (r < 0)
			return fail_read(s, -r, error);
		if (r == 0 || s->n == 0)
			continue;
		s->skips = (struct ts_skips){ s->block, s->n, s->before };
		batch_add(batch, (struct ts_run){ s->block, s->n });
		batch_flush(batch);
		reads++;
	}
	return reads;
}

static void stream_choose(struct input *in, const struct program_choice *choice)
{
	struct stream_input *s = container_of(in, struct stream_input, base);

	if (choice->number == 0)
		program_filter_free(&s->filter);
	else if (s->filter == NULL)
		s->filter = program_filter_new(choice);
	else
		program_filter_change(s->filter, choice);
}

static const struct ts_skips *stream_skips(const struct input *in)
{
	const struct stream_input *s =
		container_of(in, const struct stream_input, base);

	return s->filter != NULL ? &s->skips : NULL;
}

/* --- the input --- */

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
		return errmsg_fail(error, -EIO, "%s%s: its ring buffer is "
				   "damaged",
				   link_word(in->spec), in->spec->stream);
	/* the writer may be overwriting older positions */
	if (end > keep)
		from = (end - keep) / TS_PACKET * TS_PACKET;
	if (s->pos < from) {
		s->lost += (from - s->pos) / TS_PACKET;
		s->pos = from;
	}
	if (s->filter != NULL)
		return read_program(s, end, batch, error);
	for (; s->pos < end && reads < READS_MAX; reads++) {
		ssize_t n = read_ring(s, s->block, end);

		if (n < 0)
			return fail_read(s, (int)-n, error);
		from = s->pos;
		s->pos += (uint64_t)n;
		if (!ring_reader_has(s->ring, from)) {
			s->lost += (size_t)n / TS_PACKET;
			continue;
		}
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
		.bad_sync = s->sync.bad_sync,
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
	program_filter_free(&s->filter);
	free(s->copy);
	free(s);
}

static const struct input_ops stream_ops = {
	.roomy = true,
	.free = stream_free,
	.read = stream_read,
	.choose = stream_choose,
	.skips = stream_skips,
	.counters = stream_counters,
	.position = stream_position,
	.never_silent = true,
};

/* The position to start from: the wanted one, if the ring certainly still has
 * it, otherwise the position behind the newest packet. */
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
	s->pos = s->opened_pos = start_of(ring, spec->ring_from);
	s->mapped = spec->kind == INPUT_STREAM && io_is_feed(spec->stream) &&
		    ring_reader_map(ring, spec->ring) == 0;
	ts_sync_init(&s->sync, TS_SYNC_DATAGRAM);
	return &s->base;
}

struct input *dvb_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *error)
{
	return stream_input_open(spec, now_ns, ret_err, error);
}
