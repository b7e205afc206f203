/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output type `file`: a recording in one or more files. */
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

/* The packets of a call count as spread evenly over the time since the last
 * call, but over this time (20 ms) at most. */
#define SPREAD_NS UINT64_C(20000000)

enum {
	/* An overloaded disk has a good second now and then.  Its error ends
	 * after this number of good seconds. */
	HOLD_S = 5,
	LOG_MS = 600000,
};

/* The worst state is the last. */
enum record_state { RECORDING, DISK_SLOW, DISK_FULL };

struct file_output {
	struct output base;
	struct file_writer *writer;
	/* the report of the thread at the last second */
	struct file_writer_state writer_state;
	uint64_t queued;                /* packets put into the queue so far */
	uint64_t no_room;               /* packets without room in the queue */
	uint64_t no_room_before;        /* value of no_room a second ago */
	uint64_t last_ns;
	unsigned slow_s;                /* seconds until the disk counts as fast
					 * enough; 0: it does */
	enum record_state state;
	char error[80];                 /* text of the state; "": RECORDING */
	struct ratelimit log;
	bool logged;                    /* the slow disk was logged */
};

/* Where the next packet goes, and when it arrived. */
struct cursor {
	struct file_room room[2];
	size_t unit;
	uint64_t at_ns, step_ns;
};

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
	for (size_t i = 0; i < n_runs; i++) {
		if (c.unit == TS_PACKET) {
			copy_plain(&c, &runs[i]);
			continue;
		}
		for (size_t k = 0; k < runs[i].n; k++) {
			struct file_room *to = &c.room[c.room[0].n == 0];
			uint64_t ticks = c.at_ns / 1000 * 27 +
					 c.at_ns % 1000 * 27 / 1000;
			uint32_t stamp =
				(uint32_t)(ticks & ((1u << STAMP_BITS) - 1));

			to->data[0] = (uint8_t)(stamp >> 24);
			to->data[1] = (uint8_t)(stamp >> 16);
			to->data[2] = (uint8_t)(stamp >> 8);
			to->data[3] = (uint8_t)stamp;
			memcpy(to->data + STAMP_SIZE,
			       runs[i].data + k * TS_PACKET, TS_PACKET);
			c.at_ns += c.step_ns;
			to->data += c.unit;
			to->n--;
		}
	}
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

/* Logs the begin of a slow disk, and its end if the begin was logged.  A full
 * disk is an outage, which the owner of the output logs. */
static void log_slow(struct file_output *o)
{
	const char *path = o->base.spec->path;
	unsigned suppressed;

	if (o->state == DISK_FULL)
		return;
	if (o->state == RECORDING) {
		if (o->logged)
			log_info("stream", "%s: recording resumed", path);
		o->logged = false;
		return;
	}
	if (!ratelimit_pass(&o->log, mono_ms(), &suppressed))
		return;
	o->logged = true;
	log_warning("stream", "%s: %s", path, o->error);
	if (suppressed > 0)
		log_warning("stream", "%s: %u earlier warnings suppressed",
			    path, suppressed);
}

static int file_every_second(struct output *out, struct errmsg *error)
{
	struct file_output *o = container_of(out, struct file_output, base);
	const struct file_writer_state *s = &o->writer_state;
	unsigned min_mib = o->base.spec->file.min_free_mib;
	enum record_state was = o->state;
	uint64_t left;

	file_writer_state(o->writer, &o->writer_state);
	hold(&o->slow_s, o->no_room > o->no_room_before);
	o->no_room_before = o->no_room;
	o->state = s->full	   ? DISK_FULL
		   : o->slow_s > 0 ? DISK_SLOW
				   : RECORDING;
	o->error[0] = '\0';
	if (o->state == DISK_FULL)
		/* recording resumes when a tenth more than min_free is free */
		(void)snprintf(o->error, sizeof o->error,
			       "recording paused until %u.%u MiB are free "
			       "(min_free=%u)", min_mib + min_mib / 10,
			       min_mib % 10, min_mib);
	else if (o->state == DISK_SLOW)
		(void)snprintf(o->error, sizeof o->error,
			       "the disk is too slow: packets dropped");
	if (o->state != was)
		log_slow(o);
	/* packets of the queue are not on the disk yet */
	left = s->queued / file_writer_unit(o->writer) + s->dropped;
	out->counters.dropped = s->dropped + o->no_room;
	out->counters.packets = o->queued - MIN(o->queued, left);
	if (s->err == 0)
		return 0;
	*error = s->error;
	return s->err;
}

static void file_stats(const struct output *out, struct link_stats *ret)
{
	const struct file_writer_state *s =
		&container_of(out, const struct file_output, base)
			 ->writer_state;

	link_stats_set(ret, LINK_FREE_MIB, s->free / (1024 * 1024));
	link_stats_set(ret, LINK_QUEUED_KIB, s->queued / 1024);
	link_stats_set(ret, LINK_FILES, s->files);
}

static const char *file_error(const struct output *out)
{
	const struct file_output *o =
		container_of(out, const struct file_output, base);

	return o->state != RECORDING ? o->error : NULL;
}

static bool file_is_paused(const struct output *out)
{
	return container_of(out, const struct file_output, base)->state ==
	       DISK_FULL;
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
	.every_second = file_every_second,
	.stats = file_stats,
	.error = file_error,
	.is_disconnected = file_is_paused,
};

struct output *file_output_open(const struct output_spec *spec, int *ret_err,
				struct errmsg *error)
{
	struct file_writer *writer = file_writer_new(spec, ret_err, error);
	struct file_output *o;

	if (writer == NULL)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->base = (struct output){ .ops = &file_ops, .spec = spec };
	o->log = (struct ratelimit){ .window_ms = LOG_MS };
	o->writer = writer;
	return &o->base;
}
