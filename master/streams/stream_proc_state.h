/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of stream_proc.h, for its own files. */
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
	struct stream_plan *plan; /* NULL before set or adopt */
	struct worker_proc *proc;
	bool configured; /* stream_proc_set() was called */
	bool removed;

	struct stream_ring ring;
	bool others_read;
	char reader[IO_ID_MAX + 1]; /* a stream that runs and reads it, or "" */
	bool started; /* the worker has received stream.start ... */
	bool mux;     /* ... in the role mux */
	struct stream_memory memory;
	struct cas_links cas;
	/* what the worker knows of the system clock */
	json_t *network; /* the last stream.network; NULL: none */
	enum { CLOCK_UNTOLD, CLOCK_TOLD_GOOD, CLOCK_TOLD_BAD } clock;

	unsigned first; /* the input the next worker starts with; from 1 */
	bool by_hand; /* an operator chose it */
	struct input_choice *choice;
	struct worker_requests cues;
	struct analysis *analysis;
	struct input_scans scans;
	struct switch_log switches;
	unsigned n_switches; /* since the last status */
	unsigned n_splices;  /* likewise */
	struct receivers receivers;
	struct viewer_way way; /* of the questions about callers */
	struct softcam_user cams;

	struct stream_mounts mounts;
	struct stream_demand demand;
	struct errmsg error; /* why it cannot run; "" when it can */
};

/* The size of a ring that only other streams read, or the play paths. */
size_t stream_proc_ring_size(const struct stream_proc *);
/* Makes the ring; that of a feed does not grow.  As stream_ring_make(). */
int stream_proc_new_ring(struct stream_proc *, size_t size) MUST_CHECK;

/* The next process has the program and the role of the plan. */
void stream_proc_use(struct stream_proc *);
/* Does the role of its process have no such message? */
bool stream_proc_is_foreign(const struct stream_proc *, enum msg_type);
/* How long it runs after its last viewer or reader, as keep_active_of(). */
int stream_proc_keep_s(const struct stream_proc *, const struct stream_conf *);

/* --- stream_cams.c --- */

/* Before the first call of the next ones. */
void stream_cams_init(struct stream_proc *);
/* The plan, the id or stream_proc_is_wanted() may have changed; run: it is
 * wanted. */
void stream_cams_use(struct stream_proc *, bool run);
/* The worker has received stream.start. */
void stream_cams_up(struct stream_proc *);

/* --- stream_cue.c --- */

void stream_cues_init(struct stream_proc *);
/* stream.cued */
void stream_cues_answer(struct stream_proc *, uint32_t seq,
			const struct msg_stream_cued *);

/* --- stream_network.c --- */

/* After a status: sends the streams of nit_other if they have changed. */
void stream_network_report(struct stream_proc *, struct channel *);
/* The worker knows none of them. */
void stream_network_forget(struct stream_proc *);

/* --- stream_time.c --- */

/* After a status: sends the state of the system clock if it is news. */
void stream_time_report(struct stream_proc *, struct channel *);

/* --- stream_receivers.c --- */

/* Before the first call of the next ones. */
void stream_receivers_init(struct stream_proc *);
/* The worker has received stream.start. */
void stream_receivers_up(struct stream_proc *);
/* The worker has ended, and so have its connections. */
void stream_receivers_down(struct stream_proc *);
/* stream.ask, stream.left or stream.receivers; ignores others. */
void stream_receivers_message(struct stream_proc *, const struct msg *);
