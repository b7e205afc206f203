/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/segment_play.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/net/hls/cc_join.h"
#include "worker/net/hls/pcr_rebuild.h"
#include "worker/ts/fifo.h"
#include "worker/splice/splice.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* The most packets before the first PCR of a segment that are held. */
	HEAD_MAX = 1024,
	/* The most packets that are examined to decide about the PCRs. */
	PROBE_MAX = 8192,
	/* In a small buffer, head and probe have at most 1/HEAD_PART and
	 * 1/PROBE_PART of its packets; the rest is for bursts of the
	 * network. */
	HEAD_PART = 16,
	PROBE_PART = 8,
	SCRATCH = 32, /* packets of scratch */
	/* A PCR is a jump if it is ahead of the last one by more than the
	 * longest interval of earlier PCRs plus this. */
	JUMP_MS = 100,
	/* The pace is smoothed over this many target durations. */
	SMOOTH_TARGETS = 4,
	TARGET_MAX_MS = 60 * 1000,
};

struct segment_play {
	struct ts_sync sync;
	struct pcr_rebuild *rebuild;
	struct fifo probe; /* packets until PCRs are kept or rebuilt */
	struct fifo head;  /* packets of a segment up to its first PCR */
	bool in_head;   /* whether the segment is a cut is not decided yet */
	bool cut;       /* the segment does not continue the previous one */
	bool begun;     /* packets were pushed */
	struct cc_join join;
	struct playout playout;
	struct splice *splice;
	struct batch *out;   /* receives packets during segment_play_take() */
	struct batch within; /* packets from the play-out to the splice */
	uint64_t due_ns;     /* due time of the packets spliced last */
	uint64_t packets;    /* packets of all segments so far */
	uint32_t unannounced; /* cuts that the playlist did not announce */
	size_t n_scratch;    /* packets in scratch */
	uint8_t scratch[SCRATCH * TS_PACKET];
};

/* --- output --- */

/* The due time of the current packets.  The splice uses it as its time, so that
 * a late wake-up does not change its clock. */
static uint64_t due_ns(struct segment_play *p)
{
	p->due_ns = MAX(p->due_ns, playout_due_ns(&p->playout));
	return p->due_ns;
}

static void on_due(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct segment_play *p = arg;

	splice_feed(p->splice, runs, n_runs, due_ns(p));
}

static void on_spliced(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct segment_play *p = arg;

	for (size_t i = 0; i < n_runs; i++)
		if (runs[i].n > 0)
			batch_add(p->out, runs[i]);
	/* the runs are valid only during this call */
	batch_flush(p->out);
}

struct segment_play *segment_play_new(unsigned lead_ms, size_t packets_max,
				      uint64_t now_ns)
{
	struct segment_play *p = xcalloc(1, sizeof *p);

	ts_sync_init(&p->sync, TS_SYNC_STREAM);
	p->rebuild = pcr_rebuild_new();
	p->probe.max = MIN((size_t)PROBE_MAX, packets_max / PROBE_PART);
	p->head.max = MIN((size_t)HEAD_MAX, packets_max / HEAD_PART);
	playout_init(&p->playout, lead_ms, packets_max, now_ns);
	batch_init(&p->within, on_due, p);
	p->splice = splice_new(&(struct splice_config){
		.out = on_spliced, .arg = p,
	});
	return p;
}

void segment_play_free(struct segment_play **play)
{
	struct segment_play *p = *play;

	*play = NULL;
	if (p == NULL)
		return;
	pcr_rebuild_free(&p->rebuild);
	fifo_done(&p->probe);
	fifo_done(&p->head);
	playout_done(&p->playout);
	splice_free(&p->splice);
	free(p);
}

void segment_play_set_pace(struct segment_play *p, unsigned lead_ms,
			   unsigned target_ms)
{
	unsigned smooth_s = MIN(target_ms, (unsigned)TARGET_MAX_MS) *
			    SMOOTH_TARGETS / 1000;

	playout_set_pace(&p->playout, lead_ms,
			 target_ms == 0 ? 0 : MAX(smooth_s, 1));
}

/* --- input --- */

static void flush_scratch(struct segment_play *p)
{
	if (p->n_scratch > 0)
		playout_push(&p->playout,
			     (struct ts_run){ p->scratch, p->n_scratch });
	p->n_scratch = 0;
}

static void push_same(struct segment_play *p, const uint8_t *from,
		      const uint8_t *to)
{
	if (from == to)
		return;
	flush_scratch(p);
	playout_push(&p->playout,
		     (struct ts_run){ from, (size_t)(to - from) / TS_PACKET });
}

/* Queues packets for play-out, with joined continuity counters.  The caller has
 * checked that there is room. */
static void push(struct segment_play *p, struct ts_run run)
{
	const uint8_t *end = run.data + run.n * TS_PACKET, *same = run.data;

	p->packets += run.n;
	for (const uint8_t *at = run.data; at < end; at += TS_PACKET) {
		uint8_t cc, *copy;
		enum cc_join_result is = cc_join_feed(&p->join, at, &cc);

		if (is == CC_JOIN_UNCHANGED)
			continue;
		push_same(p, same, at);
		same = at + TS_PACKET;
		if (is == CC_JOIN_DROP)
			continue;
		copy = p->scratch + p->n_scratch * TS_PACKET;
		memcpy(copy, at, TS_PACKET);
		ts_set_cc(copy, cc);
		if (++p->n_scratch == SCRATCH)
			flush_scratch(p);
	}
	push_same(p, same, end);
	flush_scratch(p);
	p->begun = true;
}

/* True if the first PCR in the head of a segment does not continue the last
 * PCR, and the decoding times do not continue either. */
static bool head_jumps(struct segment_play *p)
{
	const struct pcr_clock *in = &p->playout.in;
	uint64_t most = p->playout.gap_ticks + JUMP_MS * PCR_HZ / 1000;
	uint64_t pcr = 0;
	struct ts_run head = fifo_run(&p->head);
	const uint8_t *packet = head.data, *end = packet + head.n * TS_PACKET;
	int64_t step;

	while (packet < end && (ts_tei(packet) || !ts_pcr(packet, &pcr)))
		packet += TS_PACKET;
	if (packet == end || !in->has_pcr)
		return false;
	step = wrap_diff(pcr % PCR_WRAP, in->last_pcr, PCR_WRAP);
	if (in->pid == ts_pid(packet) && step > 0 && (uint64_t)step <= most)
		return false;
	return !pcr_rebuild_takes_over(p->rebuild, step, &head);
}

/* Decides by the packets of the head whether the segment is a cut, and queues
 * them.  Called when the head has a PCR or is full, or the segment ends.  The
 * caller has checked that there is room. */
static void end_head(struct segment_play *p)
{
	bool makes = pcr_rebuild_state(p->rebuild) == PCR_REBUILT;
	bool found = p->begun && !p->cut && head_jumps(p);
	struct ts_run head = fifo_run(&p->head);
	uint8_t made[2 * TS_PACKET];

	p->cut |= found;
	p->unannounced += found;
	if (p->cut && p->begun)
		playout_cut(&p->playout);
	cc_join_segment(&p->join, !p->cut);
	p->in_head = p->cut = false;
	makes = !makes && pcr_rebuild_state(p->rebuild) == PCR_REBUILT;
	for (size_t i = 0; makes && i < head.n; i++)
		push(p,
		     (struct ts_run){
			     made, pcr_rebuild_write(p->rebuild,
		                                     head.data + i * TS_PACKET,
		                                     made) });
	if (head.n > 0 && !makes)
		push(p, head);
	fifo_drop(&p->head, head.n);
}

void segment_play_begin(struct segment_play *p, bool cut)
{
	ts_sync_reset(&p->sync);
	pcr_rebuild_segment(p->rebuild, cut);
	p->in_head = true;
	p->cut |= cut;
}

static void pass(struct segment_play *p, struct ts_run run)
{
	uint64_t pcr;

	while (p->in_head && run.n > 0) {
		(void)fifo_push(&p->head, (struct ts_run){ run.data, 1 });
		if (ts_pcr(run.data, &pcr) ||
		    fifo_len(&p->head) == p->head.max)
			end_head(p);
		run.data += TS_PACKET;
		run.n--;
	}
	if (run.n > 0)
		push(p, run);
}

static void pass_judged(struct segment_play *p, struct ts_run run)
{
	uint8_t made[2 * TS_PACKET];

	if (pcr_rebuild_state(p->rebuild) != PCR_REBUILT) {
		pass(p, run);
		return;
	}
	for (size_t i = 0; i < run.n; i++)
		pass(p, (struct ts_run){ made, pcr_rebuild_write(
						       p->rebuild,
						       run.data + i * TS_PACKET,
						       made) });
}

/* Decides whether PCRs are kept or rebuilt, and passes on the packets that
 * waited for the decision. */
static void end_probe(struct segment_play *p)
{
	pcr_rebuild_decide(p->rebuild);
	if (fifo_len(&p->probe) > 0)
		pass_judged(p, fifo_run(&p->probe));
	fifo_drop(&p->probe, fifo_len(&p->probe));
}

static void take(struct segment_play *p, struct ts_run run)
{
	for (; run.n > 0 && pcr_rebuild_state(p->rebuild) == PCR_UNDECIDED;
	     run.n--) {
		pcr_rebuild_feed(p->rebuild, run.data);
		(void)fifo_push(&p->probe, (struct ts_run){ run.data, 1 });
		if (pcr_rebuild_state(p->rebuild) != PCR_UNDECIDED ||
		    fifo_len(&p->probe) == p->probe.max)
			end_probe(p);
		run.data += TS_PACKET;
	}
	/* packets are passed one by one, because each may end the head, and
	 * with it change whether PCRs are rebuilt */
	for (; run.n > 0 &&
	       (p->in_head || pcr_rebuild_state(p->rebuild) == PCR_REBUILT);
	     run.n--) {
		pcr_rebuild_feed(p->rebuild, run.data);
		pass_judged(p, (struct ts_run){ run.data, 1 });
		run.data += TS_PACKET;
	}
	for (size_t i = 0; i < run.n; i++)
		pcr_rebuild_feed(p->rebuild, run.data + i * TS_PACKET);
	if (run.n > 0)
		push(p, run);
}

/* True if n more packets have room.  False: the queue must play first. */
static bool has_room(struct segment_play *p, size_t n)
{
	bool can_cut = !p->in_head || playout_can_cut(&p->playout);
	size_t need = n + fifo_len(&p->probe);
	bool has;

	/* rebuilt PCRs can double the number of packets */
	if (pcr_rebuild_state(p->rebuild) != PCR_KEPT || p->in_head)
		need *= 2;
	need = can_cut ? need + 2 * fifo_len(&p->head) : SIZE_MAX;
	has = playout_room(&p->playout) >= need;
	p->playout.need = has ? 0 : need;
	return has;
}

bool segment_play_push(struct segment_play *p, const uint8_t *data, size_t len)
{
	struct ts_run run;

	if (!has_room(p, len / TS_PACKET + TS_SYNC_BATCH + 1))
		return false;
	ts_sync_push(&p->sync, data, len);
	while (ts_sync_pull(&p->sync, &run))
		take(p, run);
	return true;
}

bool segment_play_end(struct segment_play *p)
{
	if (!has_room(p, 0))
		return false;
	if (pcr_rebuild_state(p->rebuild) == PCR_UNDECIDED)
		end_probe(p);
	if (p->in_head && fifo_len(&p->head) > 0)
		end_head(p);
	return true;
}

/* --- play-out --- */

size_t segment_play_take(struct segment_play *p, struct batch *batch,
			 uint64_t now_ns)
{
	size_t taken = 0;

	p->out = batch;
	for (;;) {
		taken += playout_take(&p->playout, &p->within, now_ns);
		if (!playout_is_at_cut(&p->playout))
			return taken;
		playout_pass_cut(&p->playout);
		splice_cut(p->splice, NULL, false, due_ns(p));
	}
}

struct playout *segment_play_queue(struct segment_play *p)
{
	return &p->playout;
}

void segment_play_every_second(struct segment_play *p)
{
	playout_every_second(&p->playout);
	fifo_trim(&p->probe);
	fifo_trim(&p->head);
}

void segment_play_counters(const struct segment_play *p,
			   struct segment_play_counters *ret)
{
	*ret = (struct segment_play_counters){
		.packets = p->packets,
		.sync_losses = p->sync.sync_losses,
		.truncated = p->join.truncated,
		.unannounced = p->unannounced,
		.waiting_ms = playout_waiting_ns(&p->playout) / MS,
	};
}
