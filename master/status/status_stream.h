/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the master remembers of one stream, and the JSON it makes of it.
 *
 * Owns copies of everything.  No loop, no clock: the caller says when.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "master/status/minute.h"
#include "master/status/output_fault.h"
#include "master/status/status.h"
#include "master/streams/reconciler.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct status_output {
	char *address; /* as configured; NULL: no text */
	bool is_http;
	struct output_fault fault;
};

struct querier_proc;
struct queriers;

/* Where an input hears its group. */
struct status_way {
	unsigned ifindex; /* 0: it has none */
	bool v6;
	bool alarmed;     /* silent, and nobody asks for it */
	uint64_t heard_ms; /* the last packets, or since when it waits */
};

/* An alarm that was told as that of a stream that is read. */
struct status_inherited {
	struct status_inherited *next;
	unsigned place;
	enum alarm_id alarm;
	char *source;
};

struct status_stream {
	char *id;
	char *name;  /* NULL when the stream has none */
	char *fault; /* why it is not run although enabled, or NULL */
	bool enabled;
	bool mpts;
	size_t n_inputs;
	char *input_ids[MSG_INPUTS_MAX]; /* of the option id; NULL: position */
	char *sources[MSG_INPUTS_MAX]; /* the stream that it reads, or NULL */
	struct status_way ways[MSG_INPUTS_MAX];
	size_t n_outputs;
	struct status_output outputs[MSG_OUTPUTS_MAX];

	struct minute minute;
	struct msg_stream_status last; /* of the worker; owns what it names */
	bool silent;         /* the last second came from no worker */
	/* alarms, by place; 0: what is sent */
	uint32_t told[MSG_INPUTS_MAX + 1];
	uint32_t before[MSG_INPUTS_MAX + 1]; /* a second ago */
	uint32_t theirs[MSG_INPUTS_MAX + 1]; /* what is read has them, too */
	struct status_inherited *inherited; /* of told */
	struct ratelimit alarm_limit;
	unsigned position;   /* of the input that was active last */
	int64_t wall_s;      /* when the last second ended */
	uint64_t said_ms;    /* when it was announced, monotonic */
};

struct status_stream *status_stream_new(const char *id);
void status_stream_free(struct status_stream **);

/* Takes over the configuration (borrowed). */
void status_stream_set(struct status_stream *, const struct stream_conf *,
		       const char *fault);

/* A second that a worker reported; amend: it was noted as missed before. */
void status_stream_hear(struct status_stream *,
			const struct msg_stream_status *, bool amend);

/* Judges the outputs by that second. */
void status_stream_judge(struct status_stream *,
			 const struct stream_proc_info *info);

/* The list "outputs" of the report. */
json_t *status_stream_output_list(const struct status_stream *,
				  const struct stream_proc_info *info);

/* A second in which no worker said anything. */
void status_stream_miss(struct status_stream *);

/* Bits of the alarms that are raised of what is sent. */
uint32_t status_stream_alarms(const struct status_stream *);
/* ... of a place; 0: what is sent, without those of its outputs. */
uint32_t status_stream_raised(const struct status_stream *, unsigned place);
/* After a second that was heard, for each input that reads another stream:
 * which of its alarms that one has, too.  NULL: it is not there. */
void status_stream_relate(struct status_stream *, unsigned place,
			  const struct status_stream *source);
/* ... and why nothing comes there, when that one is off air: its reason is the
 * error of the input then. */
void status_stream_blame(struct status_stream *, unsigned place,
			 struct status_stream *source);
/* Of those that are raised: what is not told yet. */
uint32_t status_stream_held(const struct status_stream *, unsigned place,
			    uint32_t raised);
/* An alarm of a place begins, and is that of the source if that has it, too;
 * that it is over is told with the same source, whatever is read by then. */
void status_stream_inherit(struct status_stream *, unsigned place,
			   enum alarm_id);
void status_stream_disinherit(struct status_stream *, unsigned place,
			      enum alarm_id);
/* Whose alarm it was told to be; NULL: its own. */
const char *status_stream_source(struct status_stream *, unsigned place,
				 enum alarm_id);
/* After a second that was heard: alarms that take more than the stream to
 * judge.  querier: who asks for its groups; NULL: nobody listens. */
void status_stream_judge_network(struct status_stream *,
				 struct querier_proc *querier,
				 uint64_t now_ms);
/* On which it hears its group: an index, or 0. */
unsigned status_interface(const struct msg_input_status *);
/* Counts the inputs of groups for a report. */
void status_stream_count_ways(const struct status_stream *,
			      struct queriers *, uint64_t now_ms);

/* info: what the reconciler knows of it, all zero when nothing. */
json_t *status_stream_report(const struct status_stream *,
			     const struct stream_proc_info *info,
			     enum status_span);
json_t *status_stream_inputs(const struct status_stream *,
			     const struct stream_proc_info *info);
json_t *status_stream_outputs(const struct status_stream *,
			      const struct stream_proc_info *info);
json_t *status_stream_check(const struct status_stream *,
			    const struct stream_proc_info *info, bool *ret_ok);

/* The message that another input plays. */
json_t *status_stream_switch(const struct status_stream *,
			     const struct msg_stream_switched *);

/* The next alarm event that is not told yet, and is from now on: that an alarm
 * of a place is raised, or not any more.  NULL when there is none, or none may
 * be told now. */
json_t *status_stream_alarm(struct status_stream *, uint64_t now_ms);

/* How many stream_event messages the last second makes (at least one), and
 * the i-th of them. */
size_t status_stream_events(const struct status_stream *);
json_t *status_stream_event(const struct status_stream *, size_t i);
