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
	QUEUE_PACKETS = 8192, /* queue in front of the slot: 170 ms at 70
			       * Mbit/s */
	READ_PACKETS = 348,
	READS_MAX = 16, /* reads in one call of read_slot() */
	BURST_MS = 20,  /* bytes of so many ms at spec.bitrate_mbps may be
			 * written at once */
	/* A slot is silent if for SILENT_S seconds it takes no bytes, or
	 * returns none although it took SILENT_BYTES since its last byte.  No
	 * driver buffers that many bytes. */
	SILENT_S = 3,
	SILENT_BYTES = 1024 * 1024,
	REOPEN_S = 30,  /* pause between two openings of a silent slot */
};

struct slot_source {
	struct source base;
	struct ci_spec spec;
	struct errmsg wrong;      /* why there is no thread; "": it runs */
	struct ci_stream *stream;
	/* tables of the packets in front of the slot */
	struct psi *psi;
	struct batch batch;       /* packets of the inner source */
	struct batch *out;        /* output of the read that runs; NULL: none */
	/* the device is open: packets are written to it */
	bool open;
	/* packets bypass the slot, and are also written to it */
	bool silent;
	unsigned silent_s;
	/* in this second: took: bytes were written to the slot; gave: bytes
	 * were read from it */
	bool took, gave;
	size_t unanswered;        /* bytes written since bytes were last read */
	/* time up to which `allowed' counts the bitrate */
	uint64_t fed_ns;
	/* bytes that the bitrate allows to write now */
	size_t allowed;
	/* queue: head: index of the first packet; n: number of packets */
	size_t head, n;
	/* bytes of the first packet in the queue that were written */
	size_t written;
	/* bytes in packets[] that were read and not passed on */
	size_t have;
	/* packets[] begins at the start of a packet */
	bool synced;
	/* packets lost: the queue was full, the slot became silent while they
	 * waited in the queue, or sync was lost */
	uint64_t lost;
	/* source_report.tunes for which the tables were read */
	unsigned tunes;
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

static void on_inner(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct slot_source *s = arg;

	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (!ts_tei(p) &&
			    psi_class(s->psi, ts_pid(p)) == PID_PSI)
				(void)psi_feed(s->psi, p);
			if (s->open)
				queue(s, p);
		}
		if (!s->open || s->silent)
			batch_add(s->out, runs[i]);
	}
	batch_flush(s->out);
}

/* Empties the queue when the slot fails: the packets that wait are passed on
 * without the slot.  Packets for a silent slot were passed on before. */
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
	uint64_t bytes_per_ms = s->spec.bitrate_mbps * UINT64_C(125);
	uint64_t ms = (now_ns - s->fed_ns) / MS;

	s->fed_ns += ms * MS;
	s->allowed = (size_t)MIN(s->allowed + ms * bytes_per_ms,
				 BURST_MS * bytes_per_ms);
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
		/* a driver may accept a part of a packet */
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

/* Passes on the whole packets of packets[], and keeps the remaining bytes.
 * Each loss of sync counts as one lost packet. */
static void pass_packets(struct slot_source *s)
{
	size_t at = 0;

	while (at + TS_PACKET + (s->synced ? 0 : 1) <= s->have) {
		const uint8_t *p = s->packets + at;
		size_t n = 0;

		/* while sync is lost, another sync byte must follow 188 bytes
		 * later */
		if (!ts_sync_ok(p) ||
		    (!s->synced && !ts_sync_ok(p + TS_PACKET))) {
			s->lost += s->synced;
			s->synced = false;
			at++;
			continue;
		}
		s->synced = true;
		while (at + (n + 1) * TS_PACKET <= s->have &&
		       ts_sync_ok(p + n * TS_PACKET))
			n++;
		batch_add(s->out, (struct ts_run){ .data = p, .n = n });
		at += n * TS_PACKET;
	}
	batch_flush(s->out);
	s->have -= at;
	memmove(s->packets, s->packets + at, s->have);
}

/* Reads from the slot; returns the number of reads that returned bytes. */
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
		/* a slot that failed to accept packets may still return some */
		reads += read_slot(s);
	}
	s->out = NULL;
	return reads;
}

/* --- every second --- */

/* Detects a slot that returns no packets, because its CAM hangs.  Packets then
 * bypass the slot, so that programs in the clear continue.  They are also
 * written to the slot: the first packet that returns ends the silence.  Some
 * drivers must be closed and opened for that. */
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
	/* the device may have been created after the sandbox was entered */
	if (s->state.forbidden[0] != '\0')
		(void)hidden_when_refused(s->state.forbidden, R_OK | W_OK);
	if (s->state.open && !s->open) {
		/* drops what the slot returned before it was opened again */
		s->fed_ns = now_ns;
		s->written = s->have = s->unanswered = 0;
		s->synced = true;
	}
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
	/* source_open() has checked the keys */
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
