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
	unsigned opens; /* how often the input was opened */
	uint64_t lost; /* counter socket_drops of the input */
	uint64_t address; /* hash of the address of the input */
	/* position in the ring of the input where the last worker stopped; 0:
	 * none */
	uint64_t from;
	/* position up to which that ring was read; 0: unknown */
	uint64_t pos;
};

/* A ring buffer that maps packets in the queue of an input to their positions
 * in the ring that the input reads. */
struct mux_reads {
	size_t first, n;
	struct mux_read {
		/* packets queued before this read (mux_queued()) */
		uint64_t queued;
		uint64_t pos; /* position in the ring where the read begins */
	} list[MUX_READS_MAX];
};

/* The state of this turn from which the next worker continues. */
struct mux_live {
	struct splice_continuity splice;
	uint8_t table_cc[TS_PIDS]; /* next continuity counters of own tables */
};

struct mux_stage {
	/* the multiplex; NULL: the stream sends one input at a time */
	struct mux *mux;
	/* what the next worker continues; NULL: mux is NULL */
	struct mux_live *live;
	struct stream_memory *memory;
	uint64_t period_ns; /* interval of the reads of the inputs */
	/* number of the interval of the last read; 0: none yet */
	uint64_t read;
	/* bit n: input n (from 1) is a stream:// input, whose events the
	 * process of the guide sends; the first EIT wait for these events
	 * (own_eit_config.guides) */
	uint64_t guides;
	bool needs_clock; /* no TDT while the system clock is not
			   * synchronised */
	bool clock_lost; /* the system clock is not synchronised now */
	/* the remuxes get tables from the memory, no packets of inputs */
	bool resuming;
	bool kept;     /* the tables were kept at least once */
	/* time before which the tables are not kept; 0: at once */
	uint64_t keep_ns;
	struct mux_seen sources[MSG_INPUTS_MAX];
	struct mux_reads *reads; /* one for each input */
	/* reader of the file of option absent; NULL: the input has none */
	struct absent_file *files[MSG_INPUTS_MAX];
	/* time of the last mux_stage_second(); 0: none yet */
	uint64_t second_ns;
	/* the alarm mux_overflow: the inputs exceed the rate, or an input
	 * exceeds its rate_max */
	struct alarm overflow;
	uint64_t overflow_before; /* count of dropped packets a second ago */
	/* number of services of each input that are not sent (blocked: they
	 * have no room), as logged */
	size_t blocked[MSG_INPUTS_MAX];
	/* late turns were the reason of the blocking, as logged */
	bool late[MSG_INPUTS_MAX];
	/* number of services of each input that are not in the tables
	 * (absent: they are silent), as logged */
	size_t absent[MSG_INPUTS_MAX];
	size_t unsent[MSG_INPUTS_MAX]; /* programs without room, as logged */
	struct mux_eit_log {
		uint64_t dropped; /* count of dropped sections a second ago */
		/* count of dropped sections before the current overflow */
		uint64_t begun;
		/* time of the last drop; 0: no overflow is logged */
		uint64_t last_ns;
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
 * opened again, or its socket or ring lost packets. */
void mux_stage_heard(struct mux_stage *, const struct input_chain *,
		     uint64_t now_ns);

/* Takes the packets that the remux of the chain sends. */
void mux_stage_feed(struct mux_stage *, struct input_chain *,
		    const struct ts_run *runs, size_t n_runs);

/* Sets whether the system clock, which the TDT names, is synchronised.  Before
 * the first call it counts as synchronised. */
void mux_stage_set_clock(struct mux_stage *, bool synchronised);

/* Call it after the chain was read: gives its remux null packets
 * (mux_places()), which the remux replaces by tables that wait. */
void mux_stage_places(struct mux_stage *, struct input_chain *,
		      uint64_t now_ns);
/* Requests a null packet that own tables replace, as mux_make_place(). */
void mux_stage_make_place(struct mux_stage *);
/* Sends the packets that are due in this turn.  unix_ms: the system clock. */
void mux_stage_turn(struct mux_stage *, uint64_t now_ns, uint64_t unix_ms);

/* Call it when these packets are sent: the next worker continues their
 * counters.  So it leaves no gap for packets that were not sent, and repeats no
 * counter of packets that were sent. */
void mux_stage_note(struct mux_stage *, const struct ts_run *runs,
		    size_t n_runs);
/* Keeps the tables of the inputs for the next worker; restored tables only
 * after KEEP_AFTER_MS (mux_stage.c). */
void mux_stage_keep(struct mux_stage *);
/* Call it at the end of a turn.  Stores for the next worker the clocks, and for
 * each input the position in its ring from which that worker reads. */
void mux_stage_commit(struct mux_stage *);

/* A part of the plan of the input at a position, as mux_plan(); without such an
 * input an empty object. */
json_t *mux_stage_plan(const struct mux_stage *, unsigned position,
		       unsigned from, unsigned *ret_next);

/* The input, from 1, of the program with this number in the output, and its
 * number there; false: there is none. */
bool mux_stage_find(const struct mux_stage *, uint16_t pnr,
		    unsigned *ret_place, uint16_t *ret_number);

/* Call it once a second: writes sent_kbps and services into the status.
 * packets: number of packets that were sent in that second. */
void mux_stage_second(struct mux_stage *, uint64_t packets, uint64_t now_ns,
		      struct msg_stream_status *);
/* The alarm mux_overflow; NULL: there is no multiplex. */
static inline const struct alarm *mux_stage_alarm(const struct mux_stage *s)
{
	return s->mux != NULL ? &s->overflow : NULL;
}

/* Ends the second of the alarm mux_overflow; true: it is raised. */
bool mux_stage_overflows(struct mux_stage *);
