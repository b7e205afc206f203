/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a pipeline; for pipeline*.c and analysis_report.c. */
#pragma once

#include "common/base/ratelimit.h"
#include "common/base/prefetch.h"
#include "common/base/wall.h"
#include "worker/analysis/alarm_state.h"
#include "worker/csa/core_choice.h"
#include "worker/output/admission.h"
#include "worker/output/codec_watch.h"
#include "worker/output/ring_out.h"
#include "worker/output/sender.h"
#include "worker/remux/version_stage.h"
#include "worker/stream/cas_stage.h"
#include "worker/stream/cue_watch.h"
#include "worker/stream/mux_input.h"
#include "worker/stream/mux_stage.h"
#include "worker/stream/netif_news.h"
#include "worker/stream/own_tables.h"
#include "worker/stream/pipeline.h"
#include "worker/stream/selector.h"
#include "worker/stream/sink.h"
#include "worker/stream/tap.h"
#include "worker/stream/ticker.h"

#include <ev.h>

struct pipeline {
	struct ev_loop *loop;
	void (*on_status)(const struct msg_stream_status *, void *arg);
	void (*on_switch)(const struct selector_switch *, void *arg);
	void (*on_receivers)(const struct msg_stream_receivers *, void *arg);
	void *arg;
	struct asker asker; /* asks the master about callers of outputs */

	struct ticker ticker;
	/* changes of addresses, for outputs that follow them */
	struct netif_news news;
	ev_io readable;
	/* lists the memory that a turn touches; renewed once a second */
	struct prefetch warm;
	uint64_t now_ns; /* time of this turn */
	uint64_t second_ns; /* end of this second */
	bool fed; /* sent() got packets in this turn */

	struct stream_memory *memory;
	struct selector *selector;
	struct input_chain *reading; /* the chain that is being read */
	struct tap tap; /* reports the tables of an input, on request */
	/* sends all inputs at the same time, if the stream is a multiplex */
	struct mux_stage mux;
	/* joins the candidates to one stream; idle for a multiplex */
	struct splice *splice;
	struct filler *filler; /* a still picture; NULL: none */
	/* own tables; NULL: all tables are those of the source */
	struct own_tables *tables;
	/* scrambles the stream; NULL: it stays in the clear */
	struct cas_stage *cas;
	struct csa_choice csa; /* how inputs, outputs and cas compute CSA */
	struct monitor_log watch; /* watches the stream before cas */
	struct cue_watch *cue_watch; /* watches splice commands before cas */
	uint64_t packets;
	uint64_t packets_before; /* value of packets a second ago */

	struct ring_out_hls hls;
	bool hls_short; /* logged: the ring has too few segments */
	struct alarm hls_gop; /* a group of pictures is longer than a segment */
	/* the ring of the stream; NULL: it has no ring */
	struct ring_out *ring;
	/* finds the codecs of the packets in the ring */
	struct codec_watch codecs;
	struct errmsg ring_error;

	size_t n_sinks;
	struct sink *sinks;
	size_t n_paced; /* outputs that the sender feeds */
	unsigned tick_ms; /* the smallest burst of an output */
	/* Replaces tick_ms while all inputs have large buffers
	 * (input_is_roomy()), if a multiplex reads the stream, or if its
	 * packets go to the ring alone; 0: for other streams. */
	unsigned roomy_ms;
	size_t n_with_pace; /* outputs with their own pace (sink.h) */
	struct alarm overflow; /* an output with its own pace overflows */
	uint64_t overflow_before; /* count of that overflow a second ago */
	struct alarm eit_slow; /* own EIT need more than eit_rate */
	struct alarm eit_full; /* there are too many services for own EIT */
	/* the outputs that the sender feeds, by place; NULL: none, or closed */
	struct output **outputs;
	struct sender sender;
	/* sets versions of tables; NULL: none */
	struct version_stage *versions;
	/* the packets that pass `versions' now arrived in an earlier turn */
	bool held;
	uint64_t late_before; /* sender.dropped when it was logged last */
	struct ratelimit late_log;
	struct batch batch; /* the last member, because it is large */
};

/* Is the only input sent unchanged?  Its monitor is then that of the stream. */
bool pipeline_is_relay(const struct pipeline *);

/* The tables of the sent stream. */
static inline const struct psi *pipeline_psi(const struct pipeline *p)
{
	return p->mux.mux != NULL ? mux_psi(p->mux.mux)
				  : splice_psi(p->splice);
}

/* Ends a second: counts packets, reports the status, opens outputs again. */
void pipeline_second(struct pipeline *);

/* Makes the outputs follow a change of addresses, interfaces or routes. */
void pipeline_follow(struct pipeline *);

/* The number of packets that the sender of this output dropped, because its
 * queue was full; 0 for outputs without a sender (http, cbr). */
uint64_t pipeline_late(const struct pipeline *, const struct sink *);

/* Makes the own tables, which send to out.  Removes from spec a key that has no
 * effect in a multiplex. */
void pipeline_make_tables(struct pipeline *, const struct msg_stream_start *,
			  struct stream_spec *spec, ts_out_fn *out);
/* Ends the second of eit_slow and eit_full; returns those that are raised. */
alarm_set pipeline_eit_alarms(struct pipeline *);
bool pipeline_has_own_eit(const struct pipeline *);

/* Adapts the segments of HLS to the options of this output: all playlists of a
 * stream have the same segments. */
void pipeline_add_hls(struct pipeline *, const struct sink *);

/* Ends the second of the ring: reports what a viewer gets.  Adds hls_gop to the
 * alarms if it is raised. */
void pipeline_report_viewing(struct pipeline *, struct msg_stream_status *);
bool pipeline_has_hls(const struct pipeline *);

/* Collects `outputs` after an output was opened or closed. */
void pipeline_collect_outputs(struct pipeline *);

/* Sends the packets that wait, except those that p->memory keeps for the next
 * worker.  pipeline_free() calls it. */
void pipeline_empty(struct pipeline *);
