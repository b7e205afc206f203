/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a pipeline; for pipeline*.c and analysis_report.c. */
#pragma once

#include "common/base/ratelimit.h"
#include "common/base/prefetch.h"
#include "worker/analysis/alarm_state.h"
#include "worker/output/ring_out.h"
#include "worker/output/sender.h"
#include "worker/stream/mux_input.h"
#include "worker/stream/netif_news.h"
#include "worker/stream/pipeline.h"
#include "worker/stream/selector.h"
#include "worker/stream/sink.h"
#include "worker/stream/ticker.h"

#include <ev.h>

struct pipeline {
	struct ev_loop *loop;
	void (*on_status)(const struct msg_stream_status *, void *arg);
	void (*on_switch)(const struct selector_switch *, void *arg);
	void (*on_receivers)(const struct msg_stream_receivers *, void *arg);
	void *arg;

	struct ticker ticker;
	struct netif_news news; /* for the outputs that follow it */
	ev_io readable;
	struct prefetch warm; /* what a turn touches, as of the last second */
	uint64_t now_ns; /* of this turn */
	uint64_t second_ns; /* when this second ends */
	bool fed; /* packets came in this turn */

	struct stream_memory *memory;
	struct selector *selector;
	struct input_chain *reading; /* whose packets the batch has */
	struct splice *splice; /* the candidates, as one stream */
	struct filler *filler; /* a still picture; NULL: none */
	struct monitor_log watch; /* of the stream as it is sent */
	uint64_t packets;
	uint64_t packets_before; /* a second ago */

	struct ring_out *ring; /* NULL without a ring */
	struct errmsg ring_error;

	size_t n_sinks;
	struct sink *sinks;
	size_t n_paced; /* network outputs that the sender feeds */
	unsigned tick_ms; /* the smallest burst of an output */
	size_t n_with_pace; /* those with one of their own */
	struct alarm overflow; /* of one of them */
	uint64_t overflow_before; /* packets, a second ago */
	struct output **outputs; /* those that are open, at their places */
	struct sender sender;
	uint64_t late_before; /* sender.dropped a second ago */
	struct ratelimit late_log;
	struct batch batch; /* the last: it is large */
};

/* Ends a second: counts, reports, opens again. */
void pipeline_second(struct pipeline *);

/* Addresses, interfaces or routes changed: the outputs follow. */
void pipeline_follow(struct pipeline *);

/* Packets that waited too long to be sent by it. */
uint64_t pipeline_late(const struct pipeline *, const struct sink *);

/* After an output was opened or closed. */
void pipeline_collect_outputs(struct pipeline *);
