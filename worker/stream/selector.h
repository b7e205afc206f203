/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inputs of a stream, and the choice of the input on air.
 *
 * Owns the input chains, the policy (worker/failover) and the state of each
 * candidate (candidate.h).  The input on air, the next input and the filler
 * file are read at every turn.  The other inputs that the policy wants open are
 * read every SELECTOR_STANDBY_MS, which is enough for a verdict.  An input that
 * cannot be opened, or that delivers nothing, does not delay the others.
 *
 * Make before break: the input on air stays until the next one can be entered
 * (worker/splice/switch_point), as long as it delivers.  If it is silent, the
 * stream enters the next one at a random access point that arrived since.
 *
 * Has no loop, no clock and no packets: the pipeline reads the chains that
 * selector_due() names, asks selector_route() where the packets of a chain go,
 * and then calls selector_turn().
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/spec/stream_spec.h"
#include "worker/filler/filler.h"
#include "worker/splice/splice.h"
#include "worker/stream/input_chain.h"
#include "worker/stream/memory.h"

enum {
	SELECTOR_STANDBY_MS = 40,
	/* The longest time that an input stays on air while the next one has no
	 * random access point: longer than its groups of pictures. */
	SELECTOR_PATIENCE_MS = 15000,
	/* The wait for a random access point after an input that is silent:
	 * with the time to detect the silence, tables are late by less than
	 * half a second (TR 101 290 1.3.a and 1.5.a). */
	SELECTOR_SILENT_MS = 200,
	/* Runs that one call of selector_route() takes. */
	SELECTOR_RUNS_MAX = 64,
	SELECTOR_DUE_MAX = FAILOVER_INPUTS_MAX + 4,
};

struct mux;
struct selector;

/* A switch from one input to another; 0: no input. */
struct selector_switch {
	unsigned from, to;
	enum failover_reason reason;
	/* the fault of `from`; NULL: none.  After FAILOVER_FAILED: the fault of
	 * the input that the operator chose, with its position */
	const char *fault;
	/* why `to` is off air, although it is sent; NULL: it is on air */
	const char *to_fault;
	bool filler;       /* `to` is 0: the filler is on air */
	bool late;         /* the pictures of `to` follow later: it had no
			    * random access point in time */
	/* `to` has shown no random access point yet, and its pictures are sent
	 * without one */
	bool blind;
};

struct selector_config {
	const struct msg_stream_start *start; /* borrowed for the call */
	const struct stream_spec *spec;       /* borrowed for the call */
	struct stream_memory *memory;         /* outlives the selector */
	const struct cas_list *cas; /* outlives the selector; NULL: none */
	struct csa_choice *csa;     /* borrowed for the call */
	uint64_t now_ns;
	/* Borrowed for the life of the selector. */
	struct splice *splice;
	struct filler *filler; /* a still picture; NULL: none */
	/* All inputs are sent, each at its place in this multiplex; NULL: one
	 * at a time. */
	struct mux *mux;
	ts_out_fn *decapsulated; /* receives packets out of T2-MI */
	ts_out_fn *descrambled; /* receives the packets of descramblers */
	ts_out_fn *remuxed; /* passed to the chains, see chain_config */
	void (*on_switch)(const struct selector_switch *, void *arg);
	void *arg;
	/* Sends the questions to softcams (chain_config). */
	int (*ask)(const struct msg *, void *arg);
	void *ask_arg;
};

struct selector *selector_new(const struct selector_config *);
void selector_free(struct selector **);

/* Gives the ring of another stream to the inputs that read it.  fd stays with
 * the caller; -1: the stream has no ring any more. */
void selector_link(struct selector *, const char *stream, int fd);
/* Call it when the stream `from' has got the id `to'.  The inputs that read it
 * stay open. */
void selector_rename(struct selector *, const char *from, const char *to);

/* Writes the chains to read in this turn, in this order, at most
 * SELECTOR_DUE_MAX. Returns their number. */
size_t selector_due(struct selector *, uint64_t now_ns,
		    struct input_chain *ret[SELECTOR_DUE_MAX]);

/* Lets a scan report the tables of the input at this position; 0: of no
 * input. */
void selector_show_tables(struct selector *, unsigned position);

/* Passes the message stream.cam or stream.word of a softcam to the inputs. */
void selector_take_cam(struct selector *, const struct msg *, uint64_t now_ns);

/* The route of the packets of a candidate. */
enum selector_route {
	SELECTOR_NOT_SENT, /* the packets are not sent */
	SELECTOR_ON_AIR, /* pass the packets to splice_feed() */
	SELECTOR_ENDING, /* pass the packets to splice_drain() */
};

/* At most SELECTOR_RUNS_MAX runs of packets.  selector_route() changes runs and
 * n_runs to the packets that are sent. */
struct selector_part {
	const struct ts_run *runs;
	size_t n_runs;
	/* after a switch: the switch_point has held back the first run since
	 * its arrival */
	bool held;
	/* memory for the runs after the point of entry */
	struct ts_run entered[SELECTOR_RUNS_MAX + 1];
};

/* Decides where the packets of a candidate go.  May switch over to the
 * candidate, and call on_switch(). */
enum selector_route selector_route(struct selector *, struct candidate *,
				   struct selector_part *);

/* Decides which input is sent; to be called after the packets of a turn.  May
 * call on_switch(). */
void selector_turn(struct selector *);

/* The candidate of the still picture; NULL while it does not run. */
struct candidate *selector_still(struct selector *);

/* Do packets arrive, so that the inputs are read at every tick? */
bool selector_is_busy(const struct selector *);

/* Are all open inputs roomy (input_is_roomy())? */
bool selector_is_roomy(const struct selector *);

/* While the selector is not busy: a descriptor that is readable when the input
 * on air has packets, or while no input is on air, the next input; -1: none. */
int selector_fd(const struct selector *);

/* While the selector is not busy: the latest time of the next turn. */
uint64_t selector_next_ns(const struct selector *, uint64_t now_ns);

/* Ends the second, and writes n_inputs, inputs, chosen, by_hand and filler of
 * the status. */
void selector_second(struct selector *, uint64_t now_ns,
		     struct msg_stream_status *status);

/* Does the stream send the packets of its only input (those out of T2-MI, if it
 * unpacks them) unchanged?  False after a cut. */
bool selector_is_relay(const struct selector *);

/* The input at this position, NULL when there is none. */
const struct input_chain *selector_chain(const struct selector *,
					 unsigned position);

/* Does an input regenerate tables, so that their versions are counted?  False
 * for a multiplex, which counts them itself. */
bool selector_has_tables(const struct selector *);

/* True during splice_cut() if the stream enters the still picture. */
bool selector_enters_still(const struct selector *);

/* Lists the memory that the next turn will touch, if nothing changes. */
void selector_warm(const struct selector *, struct prefetch *);

/*
 * Chooses an input by a command of the operator; position 0: the next input.
 * Returns its position, and in error the warning that it is not on air; "": it
 * is.  -EPERM with error if the backup_type of the stream has no such choice;
 * -EINVAL with error for an input that cannot be on air.
 */
int selector_choose(struct selector *, unsigned position, uint64_t now_ns,
		    struct errmsg *error) MUST_CHECK;
