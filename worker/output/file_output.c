/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output to files. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ratelimit.h"
#include "worker/output/file_writer.h"
#include "worker/output/output_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 27 MHz in 30 bits, in front of each packet of an m2ts file. */
enum { STAMP_SIZE = 4, STAMP_BITS = 30 };

/* Packets of one call came since the last, but not over longer than that. */
#define SPREAD_NS UINT64_C(20000000)

enum {
	/* A disk at its limit has a good second now and then: it is over when
	 * all of so many were good. */
	HOLD_S = 5,
	LOG_MS = 600000,
};

/* What hinders a recording; the worst is the last. */
enum trouble { TROUBLE_NONE, TROUBLE_SLOW, TROUBLE_FULL };

struct file_output {
	struct output base;
	struct file_writer *writer;
	struct file_writer_state state; /* of the last second */
	uint64_t queued;                /* packets, since the beginning */
	uint64_t no_room;               /* that found no room in the queue */
	uint64_t no_room_before;        /* a second ago */
	uint64_t last_ns;
	unsigned full_s, slow_s;        /* how long it is held yet */
	enum trouble trouble;
	char why[80];                   /* in words; "" */
	struct ratelimit log;
	bool told;                      /* that it began */
};

static void put_stamp(uint8_t *to, uint64_t at_ns)
{
	uint64_t ticks = at_ns / 1000 * 27 + at_ns % 1000 * 27 / 1000;
	uint32_t stamp = (uint32_t)(ticks & ((1u << STAMP_BITS) - 1));

	to[0] = (uint8_t)(stamp >> 24);
	to[1] = (uint8_t)(stamp >> 16);
	to[2] = (uint8_t)(stamp >> 8);
	to[3] = (uint8_t)stamp;
}

/* Where the next packet goes, and when it came. */
struct cursor {
	struct file_room room[2];
	size_t unit;
	uint64_t at_ns, step_ns;
};

static void copy_stamped(struct cursor *c, const uint8_t *packet)
{
	struct file_room *to = &c->room[c->room[0].n == 0];

	put_stamp(to->data, c->at_ns);
	memcpy(to->data + STAMP_SIZE, packet, TS_PACKET);
	c->at_ns += c->step_ns;
	to->data += c->unit;
	to->n--;
}

static void copy_plain(struct cursor *c, const struct ts_run *run)
{
	const uint8_t *from = run->data;
	size_t left = run->n;

	while (left > 0) {
		struct file_room *to = &c->room[c->room[0].n == 0];
		size_t n = MIN(left, to->n);

		memcpy(to->data, from, n * TS_PACKET);
		to->data += n * TS_PACKET;
		to->n -= n;
		from += n * TS_PACKET;
		left -= n;
	}
}

static void copy(struct cursor *c, const struct ts_run *runs, size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++) {
		if (c->unit == TS_PACKET) {
			copy_plain(c, &runs[i]);
			continue;
		}
		for (size_t k = 0; k < runs[i].n; k++)
			copy_stamped(c, runs[i].data + k * TS_PACKET);
	}
}

static void file_send(struct output *out, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns)
{
	struct file_output *o = container_of(out, struct file_output, base);
	struct cursor c = { .unit = file_writer_unit(o->writer) };
	uint64_t spread = MIN(now_ns - o->last_ns, SPREAD_NS);
	size_t n = 0;

	for (size_t i = 0; i < n_runs; i++)
		n += runs[i].n;
	if (n == 0)
		return;
	o->last_ns = now_ns;
	c.step_ns = spread / n;
	c.at_ns = now_ns - spread + c.step_ns;
	if (!file_writer_room(o->writer, n, c.room)) {
		o->no_room += n;
		return;
	}
	copy(&c, runs, n_runs);
	file_writer_put(o->writer, n);
	o->queued += n;
}

static void hold(unsigned *left_s, bool now)
{
	if (now)
		*left_s = HOLD_S;
	else if (*left_s > 0)
		(*left_s)--;
}

static void describe(struct file_output *o)
{
	o->why[0] = '\0';
	if (o->trouble == TROUBLE_FULL)
		(void)snprintf(o->why, sizeof o->why,
			       "less than %u MiB free: nothing is recorded",
			       o->base.spec->file.min_free_mib);
	else if (o->trouble == TROUBLE_SLOW)
		(void)snprintf(o->why, sizeof o->why,
			       "the disk is too slow: packets are lost");
}

/* The end of what was told is told, too. */
static void log_trouble(struct file_output *o)
{
	const char *path = o->base.spec->path;
	unsigned suppressed;

	if (o->trouble == TROUBLE_NONE) {
		if (o->told)
			log_info("stream", "%s: all is recorded again", path);
		o->told = false;
		return;
	}
	if (!ratelimit_pass(&o->log, mono_ms(), &suppressed))
		return;
	o->told = true;
	log_warning("stream", "%s: %s", path, o->why);
	if (suppressed > 0)
		log_warning("stream", "%s: and %u times more before", path,
			    suppressed);
}

static void find_trouble(struct file_output *o)
{
	enum trouble was = o->trouble;

	hold(&o->full_s, o->state.full);
	hold(&o->slow_s, o->no_room > o->no_room_before);
	o->no_room_before = o->no_room;
	o->trouble = o->full_s > 0   ? TROUBLE_FULL
		     : o->slow_s > 0 ? TROUBLE_SLOW
				     : TROUBLE_NONE;
	describe(o);
	if (o->trouble > was ||
	    (o->trouble < was && o->trouble == TROUBLE_NONE))
		log_trouble(o);
}

static int file_second(struct output *out, struct errmsg *why)
{
	struct file_output *o = container_of(out, struct file_output, base);
	uint64_t left;

	file_writer_state(o->writer, &o->state);
	find_trouble(o);
	left = o->state.queued / file_writer_unit(o->writer) +
	       o->state.dropped;
	out->counters.dropped = o->state.dropped + o->no_room;
	out->counters.packets = o->queued - MIN(o->queued, left);
	if (o->state.err == 0)
		return 0;
	*why = o->state.why;
	return o->state.err;
}

static void file_stats(const struct output *out, struct link_stats *ret)
{
	const struct file_writer_state *s =
		&container_of(out, const struct file_output, base)->state;

	link_stats_set(ret, LINK_FREE_MIB, s->free_mib);
	link_stats_set(ret, LINK_QUEUED_KIB, s->queued / 1024);
	link_stats_set(ret, LINK_FILES, s->files);
}

static const char *file_trouble(const struct output *out)
{
	const struct file_output *o =
		container_of(out, const struct file_output, base);

	return o->trouble != TROUBLE_NONE ? o->why : NULL;
}

static void file_stop(struct output *out)
{
	file_writer_stop(container_of(out, struct file_output, base)->writer);
}

static void file_free(struct output *out)
{
	struct file_output *o = container_of(out, struct file_output, base);

	file_writer_free(&o->writer);
	free(o);
}

static const struct output_ops file_ops = {
	.free = file_free,
	.stop = file_stop,
	.send = file_send,
	.second = file_second,
	.stats = file_stats,
	.trouble = file_trouble,
};

struct output *file_output_open(const struct output_spec *spec, int *ret_err,
				struct errmsg *why)
{
	struct file_writer *writer = file_writer_new(spec, ret_err, why);
	struct file_output *o;

	if (writer == NULL)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->base = (struct output){ .ops = &file_ops, .spec = spec };
	o->log = (struct ratelimit){ .window_ms = LOG_MS };
	o->writer = writer;
	return &o->base;
}
