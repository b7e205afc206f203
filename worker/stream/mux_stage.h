/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The multiplex of a stream with several inputs that are sent at the same time:
 * makes it from the options, and follows the input chains.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/spec/stream_spec.h"
#include "worker/analysis/alarm_state.h"
#include "worker/mux/mux.h"
#include "worker/stream/input_chain.h"
#include "worker/stream/memory.h"

enum { MUX_READS_MAX = 256 };

struct absent_file;

/* The state of an input chain when the multiplex last took its packets. */
struct mux_seen {
	unsigned opens;
	uint64_t lost;
	uint64_t address; /* a hash */
	uint64_t from;  /* the position of the last worker; 0: none */
	uint64_t pos;   /* end of the packets in its ring; 0: unknown */
};

/* A ring buffer that maps packets in the queue of an input to their positions
 * in the ring that the input reads. */
struct mux_reads {
	size_t first, n;
	struct mux_read {
		uint64_t queued; /* packets in front of it */
		uint64_t pos;
	} list[MUX_READS_MAX];
};

/* The state of this turn from which the next worker continues. */
struct mux_live {
	struct splice_continuity splice;
	uint8_t table_cc[TS_PIDS]; /* of own tables */
};

struct mux_stage {
	struct mux *mux; /* NULL: one input at a time is sent */
	struct mux_live *live; /* NULL: likewise */
	struct stream_memory *memory;
	uint64_t period_ns; /* of the readings of the inputs */
	uint64_t read; /* number of the last one; 0: none yet */
	uint64_t guides; /* inputs whose guide will come, as own_eit.h */
	bool needs_clock; /* no TDT while the system clock is not
			   * synchronised */
	bool clock_lost; /* it is not synchronised now */
	bool resuming; /* packets of the remuxes come from the memory */
	bool kept;     /* since the start the tables were kept once */
	uint64_t keep_ns; /* not before this turn; 0: at once */
	struct mux_seen sources[MSG_INPUTS_MAX];
	struct mux_reads *reads; /* of each input */
	struct absent_file *files[MSG_INPUTS_MAX]; /* NULL: it has none */
	uint64_t second_ns; /* time of the last second; 0: none yet */
	/* the inputs exceed the rate, or one of them its rate_max */
	struct alarm overflow;
	uint64_t overflow_before; /* packets dropped a second ago */
	size_t blocked[MSG_INPUTS_MAX]; /* services, as logged, ... */
	bool late[MSG_INPUTS_MAX]; /* ... with late turns as the reason */
	size_t absent[MSG_INPUTS_MAX]; /* services, the same */
	size_t unsent[MSG_INPUTS_MAX]; /* programs, as logged */
	struct mux_eit_log {
		uint64_t dropped; /* sections a second ago */
		uint64_t begun;   /* when the drops began: in front of them */
		uint64_t last_ns; /* of the last drop; 0: none is logged */
	} eit[MSG_INPUTS_MAX];
};

/* Makes the multiplex that the start message describes.  If it describes none,
 * s->mux is NULL: mux_stage_feed(), mux_stage_keep() and mux_stage_find() must
 * not be called, and the other functions do nothing.  Embedded. */
void mux_stage_init(struct mux_stage *, const struct msg_stream_start *,
		    const struct stream_spec *, struct stream_memory *,
		    ts_out_fn *out, void *arg);
void mux_stage_done(struct mux_stage *);
/* Call it when the inputs have their remuxes: an input that is silent gets the
 * tables that the last worker knew. */
void mux_stage_resume(struct mux_stage *, uint64_t now_ns);

/* The interval in ms at which a multiplex reads its inputs, and the workers of
 * these inputs their sources. */
unsigned mux_stage_period_ms(unsigned delay_ms);

/* Are the inputs to be read now?  The multiplex delays their packets, so it
 * reads them less often than in each turn, and all inputs in the same turn.
 * Always true without a multiplex. */
bool mux_stage_reads(struct mux_stage *, uint64_t now_ns);

/* Call it before the chain is read: a new input starts at the position of the
 * last worker. */
void mux_stage_seek(const struct mux_stage *, struct input_chain *);

/* Call it before packets of the chain go to its remux.  Notes where they begin
 * in the ring of the input, and resets the input in the multiplex when it was
 * opened again or its socket lost packets. */
void mux_stage_heard(struct mux_stage *, const struct input_chain *,
		     uint64_t now_ns);

/* Takes the packets that the remux of the chain sends. */
void mux_stage_feed(struct mux_stage *, struct input_chain *,
		    const struct ts_run *runs, size_t n_runs);

/* Sets whether the system clock, which the TDT names, is synchronised.  Before
 * the first call it counts as synchronised. */
void mux_stage_set_clock(struct mux_stage *, bool synchronised);

/* Call it after the chain was read: gives its remux places for tables
 * (mux_places()). */
void mux_stage_places(struct mux_stage *, struct input_chain *,
		      uint64_t now_ns);
/* As mux_make_place(). */
void mux_stage_make_place(struct mux_stage *);
/* Sends what is due in this turn.  unix_ms: the system clock. */
void mux_stage_turn(struct mux_stage *, uint64_t now_ns, uint64_t unix_ms);

/* Call it when these packets are sent: the next worker continues their
 * counters.  So it skips no counter of packets that were not sent, and repeats
 * none of packets that were. */
void mux_stage_note(struct mux_stage *, const struct ts_run *runs,
		    size_t n_runs);
/* Keeps the tables of the inputs for the next worker; not at first if they were
 * restored. */
void mux_stage_keep(struct mux_stage *);
/* Call it at the end of a turn.  Stores the clocks and the positions of the
 * inputs in their rings for the next worker. */
void mux_stage_commit(struct mux_stage *);

/* A part of the plan of the input at a position, as mux_plan(); without such an
 * input an empty object. */
json_t *mux_stage_plan(const struct mux_stage *, unsigned position,
		       unsigned from, unsigned *ret_next);

/* The input, from 1, of the program with this number in the output, and its
 * number there; false: there is none. */
bool mux_stage_find(const struct mux_stage *, uint16_t pnr,
		    unsigned *ret_place, uint16_t *ret_number);

/* Once a second: writes sent_kbps and services.  packets: sent in that
 * second. */
void mux_stage_second(struct mux_stage *, uint64_t packets, uint64_t now_ns,
		      struct msg_stream_status *);
/* The alarm mux_overflow; NULL: there is no multiplex. */
static inline const struct alarm *mux_stage_alarm(const struct mux_stage *s)
{
	return s->mux != NULL ? &s->overflow : NULL;
}

/* Ends the second of the alarm mux_overflow; true: it is raised. */
bool mux_stage_overflows(struct mux_stage *);
