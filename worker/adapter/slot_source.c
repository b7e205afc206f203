/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/slot_source.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "proto/spec/ci_spec.h"
#include "worker/adapter/cam_source.h"
#include "worker/adapter/ci/ci_stream.h"
#include "worker/adapter/tuner_source.h"
#include "worker/core/hidden.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	QUEUE_PACKETS = 8192, /* before the slot: 170 ms at 70 Mbit/s */
	READ_PACKETS = 348,
	READS_MAX = 16, /* in a call */
	BURST_MS = 20,  /* of the bitrate */
	/* A slot is silent if it returns no packet for so long, although it
	 * took so many bytes, which no driver buffers, or if it takes none. */
	SILENT_S = 3,
	SILENT_BYTES = 1024 * 1024,
	REOPEN_S = 30,  /* between two openings of a silent slot */
};

struct slot_source {
	struct source base;
	struct ci_spec spec;
	struct errmsg wrong;      /* no thread can be started; "": it runs */
	struct ci_stream *stream;
	struct psi *psi;          /* of the packets before the slot */
	struct batch batch;       /* of the inner source */
	struct batch *out;        /* during a read */
	bool open;                /* packets pass through the slot */
	bool silent;              /* packets pass it by, but are written, too */
	unsigned silent_s;
	bool took, gave;          /* bytes, in this second */
	size_t unanswered;        /* bytes that it took since it gave some */
	uint64_t fed_ns;          /* the bitrate was counted until then */
	size_t allowed;           /* bytes that may be written */
	size_t head, n;           /* packets of the queue */
	size_t written;           /* bytes of the first of them */
	size_t have;              /* bytes of packets[], not passed on yet */
	bool synced;              /* they begin with a packet */
	uint64_t lost;            /* packets that had no place */
	unsigned tunes;           /* that the tables belong to */
	struct ci_stream_state state;
	struct errmsg error, logged;
	uint8_t packets[READ_PACKETS * TS_PACKET];
	uint8_t queue[QUEUE_PACKETS * TS_PACKET];
};

bool slot_source_is(const json_t *adapter)
{
	struct ci_spec spec;

	return ci_spec_parse(adapter, &spec, NULL) == 0 && spec.used;
}

/* --- packets --- */

static void watch_tables(struct slot_source *s, const uint8_t *packet)
{
	if (!ts_tei(packet) &&
	    psi_class(s->psi, ts_pid(packet)) == PID_PSI)
		(void)psi_feed(s->psi, packet);
}

static void queue(struct slot_source *s, const uint8_t *packet)
{
	size_t at = (s->head + s->n) % QUEUE_PACKETS;

	if (s->n == QUEUE_PACKETS) {
		s->lost += !s->silent;
		return;
	}
	memcpy(s->queue + at * TS_PACKET, packet, TS_PACKET);
	s->n++;
}

/* Begins with a slot that was opened, without data of the slot before. */
static void begin_slot(struct slot_source *s, uint64_t now_ns)
{
	s->fed_ns = now_ns;
	s->written = s->have = s->unanswered = 0;
	s->synced = true;
}

static void on_inner(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct slot_source *s = arg;

	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			watch_tables(s, p);
			if (s->open)
				queue(s, p);
		}
		if (!s->open || s->silent)
			batch_add(s->out, runs[i]);
	}
	batch_flush(s->out);
}

static void allow(struct slot_source *s, uint64_t now_ns)
{
	uint64_t bytes_per_ms = s->spec.bitrate_mbps * UINT64_C(125);
	uint64_t ms = (now_ns - s->fed_ns) / MS;

	s->fed_ns += ms * MS;
	s->allowed = (size_t)MIN(s->allowed + ms * bytes_per_ms,
				 BURST_MS * bytes_per_ms);
}

/* Empties the queue when the slot fails: the packets that wait go on without
 * the slot.  Those for a silent slot have done so already. */
static void empty_queue(struct slot_source *s)
{
	s->written = 0;
	if (s->silent)
		s->n = 0;
	while (s->n > 0) {
		size_t n = MIN(s->n, QUEUE_PACKETS - s->head);

		batch_add(s->out, (struct ts_run){
			.data = s->queue + s->head * TS_PACKET, .n = n });
		s->head = (s->head + n) % QUEUE_PACKETS;
		s->n -= n;
	}
	batch_flush(s->out);
}

static void write_slot(struct slot_source *s, uint64_t now_ns)
{
	allow(s, now_ns);
	while (s->n > 0 && s->allowed >= TS_PACKET) {
		size_t n = MIN(MIN(s->n, QUEUE_PACKETS - s->head),
			       s->allowed / TS_PACKET);
		ssize_t written = ci_stream_write(
			s->stream,
			s->queue + s->head * TS_PACKET + s->written,
			n * TS_PACKET - s->written);

		if (written < 0)
			s->open = false;
		if (written <= 0)
			break;
		s->took = true;
		s->unanswered += (size_t)written;
		/* a driver may take a part of a packet */
		s->written += (size_t)written;
		n = s->written / TS_PACKET;
		s->written %= TS_PACKET;
		s->head = (s->head + n) % QUEUE_PACKETS;
		s->n -= n;
		s->allowed -= n * TS_PACKET;
	}
	if (!s->open)
		empty_queue(s);
}

/* Does a packet begin here?  Without sync the next packet must begin behind it,
 * too. */
static bool is_packet(const struct slot_source *s, size_t at)
{
	const uint8_t *p = s->packets + at;

	return ts_sync_ok(p) && (s->synced || ts_sync_ok(p + TS_PACKET));
}

/* Passes on the packets in the bytes that were read, and keeps the remaining
 * bytes.  Each loss of sync counts as one lost packet. */
static void pass_packets(struct slot_source *s)
{
	size_t at = 0;

	while (at + TS_PACKET + (s->synced ? 0 : 1) <= s->have) {
		size_t n = 0;

		if (!is_packet(s, at)) {
			s->lost += s->synced;
			s->synced = false;
			at++;
			continue;
		}
		s->synced = true;
		while (at + (n + 1) * TS_PACKET <= s->have &&
		       ts_sync_ok(s->packets + at + n * TS_PACKET))
			n++;
		batch_add(s->out, (struct ts_run){ .data = s->packets + at,
						   .n = n });
		at += n * TS_PACKET;
	}
	batch_flush(s->out);
	s->have -= at;
	memmove(s->packets, s->packets + at, s->have);
}

/* Reads from the slot; returns the number of reads that had bytes. */
static int read_slot(struct slot_source *s)
{
	int reads = 0;

	for (; reads < READS_MAX; reads++) {
		ssize_t n = ci_stream_read(s->stream, s->packets + s->have,
					   sizeof s->packets - s->have);

		if (n <= 0)
			break;
		s->gave = true;
		s->silent = false;
		s->unanswered = 0;
		s->have += (size_t)n;
		pass_packets(s);
	}
	return reads;
}

static int read_packets(struct source *source, struct batch *batch,
			uint64_t now_ns)
{
	struct slot_source *s =
		container_of(source, struct slot_source, base);
	int reads;

	s->out = batch;
	reads = source->inner->ops->read(source->inner, &s->batch, now_ns);
	if (s->stream != NULL) {
		write_slot(s, now_ns);
		/* a slot that fails may still have packets */
		reads += read_slot(s);
	}
	s->out = NULL;
	return reads;
}

/* --- every second --- */

/* Finds a slot that returns no packets, because its CAM hangs.  Programs in the
 * clear then continue beside the slot.  The packets are still written to it, so
 * that the first packet that returns ends the silence; some drivers have to be
 * opened again first. */
static void judge_silence(struct slot_source *s)
{
	bool stuck = s->open && s->n > 0 && !s->took;

	if (s->gave)
		s->silent_s = 0;
	else if (stuck || s->silent || s->unanswered >= SILENT_BYTES)
		s->silent_s++;
	s->took = s->gave = false;
	if (s->silent_s < SILENT_S)
		return;
	if (!s->silent) {
		s->lost += s->n;
		s->n = s->written = 0;
		s->silent = true;
	}
	if ((s->silent_s - SILENT_S) % REOPEN_S == 0 && s->open) {
		ci_stream_reopen(s->stream);
		s->unanswered = 0;
	}
}

static void find_error(struct slot_source *s)
{
	if (s->wrong.text[0] != '\0')
		s->error = s->wrong;
	else if (s->silent && s->state.error.text[0] == '\0')
		errmsg_set(&s->error, "the CI slot returns no packets");
	else
		s->error = s->state.error;
	if (s->error.text[0] != '\0' &&
	    !errmsg_is_alike(s->error.text, s->logged.text))
		log_warning("adapter", "%s: packets bypass the CI slot",
			    s->error.text);
	else if (s->error.text[0] == '\0' && s->logged.text[0] != '\0')
		log_info("adapter", "packets pass through the CI slot");
	s->logged = s->error;
}

static void every_second(struct source *source, uint64_t now_ns,
			 struct source_report *ret)
{
	struct slot_source *s =
		container_of(source, struct slot_source, base);

	source->inner->ops->every_second(source->inner, now_ns, ret);
	if (ret->tunes != s->tunes)
		psi_reset(s->psi);
	s->tunes = ret->tunes;
	if (s->stream != NULL)
		ci_stream_get(s->stream, &s->state);
	/* the device may have been made after the sandbox */
	if (s->state.forbidden[0] != '\0')
		(void)hidden_when_refused(s->state.forbidden, R_OK | W_OK);
	if (s->state.open && !s->open)
		begin_slot(s, now_ns);
	s->open = s->state.open;
	judge_silence(s);
	cam_source_second(s->base.cam, s->psi, s->open ? s->spec.adapter
							: CAM_GONE);
	find_error(s);
	ret->lost += s->lost;
	if (ret->error == NULL && s->error.text[0] != '\0')
		ret->error = s->error.text;
}

static void source_free(struct source *source)
{
	struct slot_source *s =
		container_of(source, struct slot_source, base);

	cam_source_free(&s->base.cam);
	ci_stream_free(&s->stream);
	source->inner->ops->free(source->inner);
	psi_free(&s->psi);
	free(s);
}

static bool retune(struct source *source, const json_t *adapter)
{
	struct slot_source *s =
		container_of(source, struct slot_source, base);

	if (!source_retune(source->inner, adapter))
		return false;
	psi_reset(s->psi);
	return true;
}

static const struct source_ops ops = {
	.free = source_free,
	.read = read_packets,
	.every_second = every_second,
	.retune = retune,
};

struct source *slot_source_new(const json_t *adapter, struct source *inner,
			       const struct dvb_ops *dvb, void *ctx)
{
	struct slot_source *s = xcalloc(1, sizeof *s);
	struct ci_stream_config cfg = { .root = DVB_FOLDER, .ops = dvb,
					.ctx = ctx };
	struct tuner_spec modules = { 0 };
	int err = 0;

	s->base.ops = &ops;
	s->base.inner = inner;
	s->psi = psi_new();
	batch_init(&s->batch, on_inner, s);
	/* the opener has judged the keys */
	(void)!ci_spec_parse(adapter, &s->spec, NULL);
	cfg.adapter = s->spec.adapter;
	cfg.device = modules.device = s->spec.device;
	modules.ca = s->spec.ca;
	s->base.cam = cam_source_new(&modules, dvb, ctx);
	s->stream = ci_stream_new(&cfg, &err);
	if (s->stream == NULL)
		errmsg_set(&s->wrong, "cannot start a thread: %s",
			   strerror(-err));
	return &s->base;
}
