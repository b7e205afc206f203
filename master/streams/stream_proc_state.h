/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of struct stream_proc, for its own files only. */
#pragma once

#include "common/base/errmsg.h"
#include "master/softcams/softcam_list.h"
#include "master/streams/cas_procs.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/stream_demand.h"
#include "master/streams/stream_memory.h"
#include "master/streams/stream_proc.h"
#include "master/streams/stream_ring.h"
#include "master/streams/worker_request.h"
#include "master/viewers/viewers.h"
#include "proto/spec/io_spec.h"

#include <stdbool.h>

struct stream_plan;
struct worker_proc;

struct stream_proc {
	struct stream_proc_config cfg;
	char *id;
	/* NULL: neither stream_proc_set() nor stream_proc_adopt() was called */
	struct stream_plan *plan;
	struct worker_proc *proc;
	bool configured; /* stream_proc_set() was called */
	bool removed;

	struct stream_ring ring;
	bool others_read;
	/* id of a running stream or adapter that reads this one; "": none */
	char reader[IO_ID_MAX + 1];
	bool started; /* the worker has received stream.start */
	bool mux;     /* if started: the worker has the role mux */
	struct stream_memory memory;
	struct cas_links cas;
	/* streams of nit_other that the worker has received in its last
	 * stream.network; NULL: none */
	json_t *network;
	/* state of the system clock that the worker has received */
	enum { CLOCK_UNTOLD, CLOCK_TOLD_GOOD, CLOCK_TOLD_BAD } clock;

	/* the input with which the next worker starts, from 1 */
	unsigned first;
	bool by_hand; /* an operator chose this input */
	struct input_choice *choice;
	struct worker_requests cues;
	struct analysis *analysis;
	struct input_scans scans;
	struct switch_log switches;
	/* switches and splice commands that the worker has reported since its
	 * last status */
	unsigned n_switches;
	unsigned n_splices;
	struct receivers receivers;
	struct viewer_way way; /* for questions of the worker about receivers */
	struct softcam_user cams;

	struct stream_mounts mounts;
	struct stream_demand demand;
	struct errmsg error; /* why the stream cannot run; "": it can */
};

/* Returns the size in bytes of the ring of a stream that has no http output:
 * for other streams, the guide or the play paths. */
size_t stream_proc_ring_size(const struct stream_proc *);
/* Makes the ring again; the ring of a feed does not grow.  Returns as
 * stream_ring_make(). */
int stream_proc_new_ring(struct stream_proc *, size_t size) MUST_CHECK;

/* Sets the program and the role of the next process by the plan. */
void stream_proc_use(struct stream_proc *);
/* True: the message does not belong to the role of the process (a multiplex
 * switches no input): the caller must kill the worker. */
bool stream_proc_is_foreign(const struct stream_proc *, enum msg_type);
/* Returns how many seconds the stream runs after its last viewer or reader, as
 * keep_active_of(). */
int stream_proc_keep_s(const struct stream_proc *, const struct stream_conf *);

/* --- stream_cams.c --- */

/* Makes the softcam user of a stream.  Call it before the next functions. */
void stream_cams_init(struct stream_proc *);
/* The plan, the id or stream_proc_is_wanted() has changed: updates the softcams
 * that the stream uses.  run: the worker is wanted. */
void stream_cams_use(struct stream_proc *, bool run);
/* The worker has received stream.start: connects it with its softcams. */
void stream_cams_up(struct stream_proc *);

/* --- stream_cue.c --- */

void stream_cues_init(struct stream_proc *);
/* Takes stream.cued, the answer to the splice command with this seq. */
void stream_cues_answer(struct stream_proc *, uint32_t seq,
			const struct msg_stream_cued *);

/* --- stream_network.c --- */

/* Call it after a status: sends the streams of nit_other if they have
 * changed. */
void stream_network_report(struct stream_proc *, struct channel *);
/* A new worker runs, which has not received the streams of nit_other yet. */
void stream_network_forget(struct stream_proc *);

/* --- stream_time.c --- */

/* Call it after a status: sends the state of the system clock if it has
 * changed. */
void stream_time_report(struct stream_proc *, struct channel *);

/* --- stream_receivers.c --- */

/* Prepares the answers to questions about receivers.  Call it before the next
 * functions. */
void stream_receivers_init(struct stream_proc *);
/* The worker has received stream.start: a worker with network libraries may
 * ask about receivers from now on. */
void stream_receivers_up(struct stream_proc *);
/* The worker has ended: its receivers and questions end too. */
void stream_receivers_down(struct stream_proc *);
/* Takes stream.ask, stream.left or stream.receivers; ignores other messages. */
void stream_receivers_message(struct stream_proc *, const struct msg *);
