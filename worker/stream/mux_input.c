/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/mux_input.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/ratelimit.h"
#include "common/base/units.h"
#include "worker/input/input_keeper.h"
#include "worker/ts/fifo.h"
#include "worker/splice/clock.h"
#include "worker/splice/cue.h"
#include "worker/splice/pes_split.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/psi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TYPE_SECTIONS = 0x05,
	/* After a pause of this length between two reads the packets in the
	 * socket are too old: the other stream is opened again. */
	PAUSE_MS = 1000,
	SILENCE_MS = 500,
	HELD_MAX_MS = 1000, /* longest delay of packets behind a silence */
	TICKS_PER_MS = 90,
};

/* The lead of the PCRs of a clock over the time of their arrival, in 27 MHz
 * ticks. */
struct phase {
	uint16_t pid;
	uint8_t n;
	uint64_t phase;
};

struct mux_input {
	const struct input_spec *of; /* the input that receives the PID */
	unsigned position;
	struct input_keeper keeper;
	uint64_t read_ns; /* time of the last read */
	/* time of the last packet of the PID, or of the opening */
	uint64_t received_ns;
	uint64_t since_ns; /* time of the first packet after the last silence */
	uint64_t now_ns;
	struct batch batch;
	struct psi *psi;
	struct fifo fifo;     /* packets of the PID, with new counters */
	/* newest packets in fifo, which wait: the first of them begins a PES
	 * header that is not complete */
	size_t n_held;
	uint64_t held_ns;     /* arrival of the first packet of n_held */
	/* `header' is moved, and the next packets may have further parts of
	 * it */
	bool split;
	struct pes_split header;
	struct remux_guest guest;
	bool changed;         /* `guest' was not passed to the remux yet */
	bool arriving;           /* packets arrive */
	bool counted;         /* cc_in is valid */
	uint8_t cc_in, cc;
	uint8_t cc_joined;    /* counter of the last packet in the remux */
	bool followed;        /* cc_came is valid */
	uint8_t cc_came;
	uint64_t received, sent, lost, dropped; /* packets of the PID */
	uint16_t clock_pid;   /* PCR PID, in the other stream, of the program
			       * that has the PID; 0x1fff: none */
	/* clocks of the input and of the other stream */
	struct phase here, there;
	uint64_t clock_ns;    /* arrival of the last PCR on clock_pid */
	struct phase was;     /* value of `there` before the last silence */
	uint64_t silence_ns;  /* length of the last silence */
	uint64_t moved;       /* 90 kHz: added to the times of the PID */
	struct cue cue;
	uint16_t logged_pid; /* PID in the output, as logged last */
	struct errmsg error;
	struct errmsg logged;   /* the error in the last line of the log */
	struct ratelimit log;
};

/* --- clocks --- */

/* The last PCR of the PID in these packets; PCR_WRAP: they have none.  Earlier
 * PCRs are skipped, because only the last packet has just arrived. */
static uint64_t last_pcr(uint16_t pid, const struct ts_run *runs, size_t n_runs)
{
	uint64_t pcr, last = PCR_WRAP;

	if (pid == TS_PID_NULL)
		return last;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *packet = runs[i].data + k * TS_PACKET;

			if (ts_pid(packet) == pid && !ts_tei(packet) &&
			    ts_pcr(packet, &pcr))
				last = pcr % PCR_WRAP;
		}
	return last;
}

static void phase_note(struct phase *p, uint16_t pid, uint64_t pcr,
		       uint64_t now_ns)
{
	if (p->pid != pid)
		*p = (struct phase){ .pid = pid };
	if (pcr != PCR_WRAP)
		splice_smooth(&p->phase, &p->n,
			      pcr_diff(pcr, splice_ticks_of_ns(now_ns)));
}

/* Forgets the clock of the other stream if it had no PCR for SILENCE_MS: after
 * a silence the clock may be another one. */
static void forget_clock(struct mux_input *a)
{
	uint64_t silence_ns = a->now_ns - a->clock_ns;

	if (a->there.n == 0 || silence_ns < SILENCE_MS * MS)
		return;
	a->was = a->there;
	a->silence_ns = silence_ns;
	a->there = (struct phase){ .pid = TS_PID_NULL };
}

static void follow_clock(struct mux_input *a, const struct ts_run *runs,
		       size_t n_runs)
{
	const int64_t stray = MUX_STRAY_MS * TICKS_PER_MS * PCR_PER_TICK;
	uint64_t pcr = last_pcr(a->clock_pid, runs, n_runs);
	uint64_t most_ns;
	int64_t off;

	if (pcr != PCR_WRAP)
		forget_clock(a);
	phase_note(&a->there, a->clock_pid, pcr, a->now_ns);
	if (pcr == PCR_WRAP)
		return;
	a->clock_ns = a->now_ns;
	if (a->there.n != 1)
		return;
	/* If the clock lags by at most the length of the silence, it is the
	 * same clock: its packets were delayed, and their times are right. */
	most_ns = MIN(a->silence_ns, HELD_MAX_MS * MS);
	off = wrap_diff(a->there.phase, a->was.phase, PCR_WRAP);
	if (a->was.pid == a->there.pid && off < stray &&
	    off > -stray - (int64_t)splice_ticks_of_ns(most_ns))
		a->there = a->was;
	a->was = (struct phase){ .pid = TS_PID_NULL };
}

/* --- the other stream --- */

/* The program of the other stream whose PMT lists the PID, and in *ret the
 * entry of the PID there; NULL: no PMT lists it. */
static const struct psi_program *find_stream(const struct mux_input *a,
					     struct pmt *pmt,
					     const struct pmt_stream **ret)
{
	const struct psi_program *list;
	size_t n = psi_programs(a->psi, &list);

	for (size_t i = 0; i < n; i++) {
		if (list[i].pmt.data == NULL ||
		    pmt_decode(list[i].pmt.data, list[i].pmt.len, pmt) < 0)
			continue;
		for (size_t k = 0; k < pmt->n_streams; k++)
			if (pmt->streams[k].pid == a->of->mux_pid) {
				*ret = &pmt->streams[k];
				return &list[i];
			}
	}
	return NULL;
}

/* The oldest of the queued packets that wait for the remaining part of their
 * PES header. */
static uint8_t *first_held(const struct mux_input *a)
{
	return a->fifo.memory + (a->fifo.tail - a->n_held) * TS_PACKET;
}

/* Stops waiting for the missing part of a PES header: removes the incomplete
 * header from the n packets that have arrived. */
static void release_held(struct mux_input *a, size_t n)
{
	/* a queue that had no packet yet has no memory */
	for (uint8_t *copy = n > 0 ? first_held(a) : NULL; n > 0;
	     n--, copy += TS_PACKET)
		if (ts_pusi(copy))
			pes_split_drop(copy);
	a->n_held = 0;
}

static void follow_tables(struct mux_input *a)
{
	struct remux_guest guest = { .pid = a->guest.pid };
	const struct pmt_stream *s;
	const struct psi_program *program;
	struct pmt pmt;

	program = find_stream(a, &pmt, &s);
	if (program != NULL) {
		guest.type = s->type;
		if (s->descriptors.len <= GUEST_DESCRIPTORS_MAX) {
			guest.len = (uint8_t)s->descriptors.len;
			memcpy(guest.descriptors, s->descriptors.data,
			       guest.len);
		}
	}
	a->clock_pid = program != NULL ? program->pcr_pid : TS_PID_NULL;
	if (memcmp(&guest, &a->guest, sizeof guest) == 0)
		return;
	release_held(a, a->n_held);
	a->split = false;
	a->guest = guest;
	a->changed = true;
}

static bool has_times(const struct mux_input *a)
{
	return a->guest.type != 0 && a->guest.type != TYPE_SECTIONS;
}

/* Can the PID be added?  Its stream type must be known, and for a PID with time
 * stamps the clocks of both streams.  After MUX_PATIENCE_MS it is added without
 * them. */
static bool is_known(const struct mux_input *a)
{
	if (a->now_ns - a->since_ns >= MUX_PATIENCE_MS * MS)
		return true;
	if (!has_times(a))
		return a->guest.type != 0;
	return a->clock_pid == TS_PID_NULL ||
	       (a->here.n > 0 && a->there.n > 0);
}

/* Drops the packets that wait for the remux.  The continuity counter continues
 * from the last packet that joined the remux. */
static void drop_waiting(struct mux_input *a)
{
	a->dropped += fifo_len(&a->fifo);
	fifo_drop(&a->fifo, fifo_len(&a->fifo));
	a->n_held = 0;
	a->split = false;
	a->cc = a->cc_joined;
}

/* Moves the times of a PES header that several packets have: each of these
 * packets in the queue gets its part of the moved header. */
static void move_held(struct mux_input *a)
{
	uint8_t *first = first_held(a);
	uint8_t offset = (uint8_t)(a->cc_in - a->cc);

	pes_split_begin(&a->header, first,
			(struct stamps_move){ a->moved, a->moved });
	for (size_t i = 1; i < a->n_held; i++) {
		uint8_t *copy = first + i * TS_PACKET;

		/* a duplicate of the first packet */
		if (ts_pusi(copy))
			memcpy(copy, first, TS_PACKET);
		else
			(void)pes_split_continue(&a->header, copy,
						 (ts_cc(copy) + offset) & 0x0f);
	}
	a->split = true;
	a->n_held = 0;
}

/* Moves the times in the copy of a packet, which is the newest packet in the
 * queue.  If the PES header is incomplete, the copy waits for the next
 * packets. */
static void move_times(struct mux_input *a, const uint8_t *packet,
		       uint8_t *copy)
{
	enum pes_head_sign sign;

	stamps_move(copy, (struct stamps_move){ a->moved, a->moved });
	if (a->n_held > 0) {
		sign = pes_head_add(&a->header.head, packet);
		a->n_held++;
		if (sign == HEAD_WHOLE)
			move_held(a);
		else if (sign == HEAD_LOST)
			/* a new PES begins here, or packets are missing */
			release_held(a, a->n_held - 1);
		else if (sign == HEAD_NONE)
			a->n_held = 0;
	} else if (a->split) {
		a->split = !ts_pusi(packet) &&
			   pes_split_continue(&a->header, copy,
					      ts_cc(packet));
	}
	if (a->n_held == 0 && !a->split &&
	    pes_head_read(packet, &a->header.head) == HEAD_WAITS) {
		a->n_held = 1;
		a->held_ns = a->now_ns;
	}
}

static void queue_packet(struct mux_input *a, const uint8_t *packet)
{
	uint8_t step = (uint8_t)(ts_cc(packet) - a->cc_in);
	uint8_t *copy = fifo_push(&a->fifo, (struct ts_run){ packet, 1 });
	uint64_t pcr;

	a->cc = (uint8_t)(a->cc + (a->counted ? step : 1)) & 0x0f;
	a->cc_in = ts_cc(packet);
	a->counted = true;
	ts_set_cc(copy, a->cc);
	/* the PCRs of the added PID are of another clock */
	if (ts_pcr(copy, &pcr))
		stamps_drop_pcr(copy);
	if (!has_times(a))
		return;
	if (a->guest.type != CUE_STREAM_TYPE)
		move_times(a, packet, copy);
	else if (ts_has_payload(copy) && !ts_scrambling(copy))
		cue_move(&a->cue, copy, a->moved);
}

static void look_at(struct mux_input *a, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	uint8_t cc = ts_cc(packet);

	if (ts_tei(packet))
		return;
	if (psi_class(a->psi, pid) == PID_PSI) {
		if (psi_feed(a->psi, packet))
			follow_tables(a);
		return;
	}
	if (pid != a->of->mux_pid)
		return;
	if (!a->arriving || a->now_ns - a->received_ns >= SILENCE_MS * MS) {
		/* after a silence it may be another sender, with another
		 * counter and another clock */
		a->arriving = true;
		a->counted = a->followed = false;
		release_held(a, a->n_held);
		a->split = false;
		a->since_ns = a->now_ns;
		forget_clock(a);
	}
	a->received_ns = a->now_ns;
	input_keeper_note_packets(&a->keeper, a->now_ns);
	a->received++;
	/* a duplicate and a packet without payload repeat the counter */
	if (a->followed && ts_has_payload(packet) && cc != a->cc_came &&
	    !ts_discontinuity(packet))
		a->lost += (cc - a->cc_came - 1U) & 0x0f;
	a->followed = true;
	a->cc_came = cc;
	if (is_known(a) && fifo_len(&a->fifo) < MUX_KEPT)
		queue_packet(a, packet);
	else
		a->dropped++;
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	const int64_t stray = MUX_STRAY_MS * TICKS_PER_MS;
	struct mux_input *a = arg;

	follow_clock(a, runs, n_runs);
	if (a->here.n > 0 && a->there.n > 0) {
		uint64_t apart = pcr_diff(a->here.phase, a->there.phase) /
				 PCR_PER_TICK;
		int64_t off = wrap_diff(apart, a->moved, PES_TIME_WRAP);

		if (off > stray || off < -stray)
			a->moved = apart;
	}
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			look_at(a, runs[i].data + k * TS_PACKET);
}

/* Forgets the tables, the clock and the waiting packets of the other stream. */
static void forget(struct mux_input *a)
{
	drop_waiting(a);
	psi_reset(a->psi);
	a->clock_pid = TS_PID_NULL;
	a->here = a->there = a->was = (struct phase){ .pid = TS_PID_NULL };
	a->arriving = false;
	a->cue = (struct cue){ 0 };
}

void mux_input_close(struct mux_input *a)
{
	input_keeper_close(&a->keeper, a->now_ns);
	forget(a);
}

void mux_input_read(struct mux_input *a, uint64_t now_ns)
{
	struct input_keeper *k = &a->keeper;

	if (k->input != NULL && now_ns - a->read_ns >= PAUSE_MS * MS)
		mux_input_close(a);
	a->read_ns = a->now_ns = now_ns;
	if (k->input == NULL) {
		input_keeper_open(k, now_ns);
		a->received_ns = now_ns;
	}
	if (k->input == NULL)
		return;
	/* the remux took no packets, because the input delivers none */
	if (fifo_len(&a->fifo) >= MUX_KEPT)
		drop_waiting(a);
	if (input_keeper_read(k, &a->batch, now_ns) < 0)
		forget(a);
	/* the rest of a PES header may never arrive */
	if (a->n_held > 0 && now_ns - a->held_ns >= SILENCE_MS * MS)
		release_held(a, a->n_held);
}

void mux_input_join(struct mux_input *a, struct remux *r,
		    const struct ts_run *runs, size_t n_runs, uint64_t now_ns)
{
	struct ts_run run = fifo_run(&a->fifo);
	uint16_t clock = remux_clock_pid(r), pid;

	phase_note(&a->here, clock, last_pcr(clock, runs, n_runs), now_ns);
	if (a->changed)
		remux_set_guest(r, &a->guest);
	a->changed = false;
	pid = remux_guest_pid(r);
	if (pid == 0) {
		drop_waiting(a);
		return;
	}
	if (pid != a->logged_pid)
		log_info("stream", "input %u: mux: PID %u of %s is sent as PID "
			 "%u",
			 a->position, a->of->mux_pid, a->of->mux, pid);
	a->logged_pid = pid;
	run.n = MIN(run.n - a->n_held, (size_t)MUX_TICK);
	for (size_t i = 0; i < run.n; i++)
		remux_add_guest(r, run.data + i * TS_PACKET);
	if (run.n > 0)
		a->cc_joined = ts_cc(run.data + (run.n - 1) * TS_PACKET);
	a->sent += run.n;
	fifo_drop(&a->fifo, run.n);
}

void mux_input_second(struct mux_input *a, uint64_t now_ns)
{
	struct input_counters counted;
	unsigned pid = a->of->mux_pid, suppressed;
	bool has_error;

	fifo_trim(&a->fifo);
	if (a->keeper.input != NULL) {
		input_keeper_every_second(&a->keeper, now_ns, &counted);
		if (a->keeper.input == NULL)
			forget(a);
	}
	a->error.text[0] = '\0';
	if (a->keeper.input == NULL)
		errmsg_set(&a->error, "mux: %s", a->keeper.error.text);
	else if (now_ns - a->received_ns >= MUX_PATIENCE_MS * MS)
		errmsg_set(&a->error, "mux: no packets of PID %u from %s",
			   pid, a->of->mux);
	else if (a->guest.type == 0 &&
		 now_ns - a->since_ns >= MUX_PATIENCE_MS * MS)
		errmsg_set(&a->error, "mux: no PMT of %s lists PID %u: the PMT "
			   "of the output does not list it, either", a->of->mux,
			   pid);
	/* the keeper logs why its input is not open */
	has_error = a->error.text[0] != '\0';
	if (a->keeper.input == NULL || (!has_error && !a->arriving) ||
	    strcmp(a->error.text, a->logged.text) == 0 ||
	    !ratelimit_pass(&a->log, now_ns / MS, &suppressed))
		return;
	a->logged = a->error;
	if (!has_error)
		log_info("stream", "input %u: mux: receiving PID %u",
			 a->position, pid);
	else
		log_warning("stream", "input %u: %s", a->position,
			    a->error.text);
}

void mux_input_stats(const struct mux_input *a, struct link_stats *ret)
{
	enum mux_input_state state = MUX_WAITS;

	if (!a->arriving || a->now_ns - a->received_ns >= MUX_PATIENCE_MS * MS)
		state = MUX_ABSENT;
	else if (a->guest.type != 0 && is_known(a))
		state = MUX_JOINED;
	link_stats_set(ret, LINK_MUX_STATE, state);
	link_stats_set(ret, LINK_MUX_RECEIVED, a->received);
	link_stats_set(ret, LINK_MUX_SENT, a->sent);
	link_stats_set(ret, LINK_MUX_LOST, a->lost);
	link_stats_set(ret, LINK_MUX_DROPPED, a->dropped);
}

const char *mux_input_error(const struct mux_input *a)
{
	return a->error.text[0] != '\0' ? a->error.text : NULL;
}

struct mux_input *mux_input_new(const struct input_spec *of, unsigned position)
{
	struct mux_input *a = xcalloc(1, sizeof *a);
	char label[INPUT_LABEL_MAX];

	a->of = of;
	a->position = position;
	a->psi = psi_new();
	a->guest.pid = of->mux_to != 0 ? of->mux_to : of->mux_pid;
	a->changed = true;
	a->logged_pid = a->guest.pid;
	batch_init(&a->batch, on_packets, a);
	(void)snprintf(label, sizeof label, "input %u: mux", position);
	input_keeper_init(&a->keeper, label, of->mux);
	a->keeper.owner_notes = true;
	forget(a);
	return a;
}

void mux_input_free(struct mux_input **ptr)
{
	struct mux_input *a = *ptr;

	*ptr = NULL;
	if (a == NULL)
		return;
	input_keeper_done(&a->keeper);
	psi_free(&a->psi);
	fifo_done(&a->fifo);
	free(a);
}
