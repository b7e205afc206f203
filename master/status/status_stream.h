/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last minute of one stream, and its status as JSON.
 *
 * Owns copies of all data.  No loop, no clock: time is an argument.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "master/status/hour.h"
#include "master/status/minute.h"
#include "master/status/status.h"
#include "master/streams/reconciler.h"
#include "proto/ipc/msg.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
	/* After this many seconds without a report, the alarms that the worker
	 * reported count no more. */
	STATUS_GONE_S = 3,
	/* After this many seconds without a report, "off air" is logged. */
	STATUS_HANG_S = 2,
	/* Longest stream_event in bytes: two ids, whose bytes may each take six
	 * as JSON, and the numbers. */
	STATUS_EVENT_MAX = 2 * 6 * IO_ID_MAX + 256,
	/* Consecutive seconds with an error that raise output_fault, and
	 * without one that clear it. */
	OUTPUT_FAULT_RAISE_S = 3,
	OUTPUT_FAULT_CLEAR_S = 5,
};

/*
 * The alarm output_fault of one output.  Three consecutive seconds with an
 * error raise it, five without an error clear it, so that retries do not toggle
 * the alarm.
 */
struct output_fault {
	bool raised;
	bool reported; /* the event of the alarm was sent */
	bool changed;  /* the reason changed: the event must be sent again */
	int64_t since_s; /* Unix time of the first error */
	int64_t reason_s; /* Unix time since when the error has this reason */
	/* consecutive seconds without an error while the alarm is raised, or
	 * with an error while it is not */
	uint8_t in_s;
	/* consecutive seconds with packets, at most UINT8_MAX */
	uint8_t sends_s;
	char *reason; /* owned: last error while raised; NULL: not raised */
};

/* Clears the alarm and its reason at once; its event is sent later. */
void output_fault_clear(struct output_fault *);

/* The alarm `worker': the process of the stream failed, and its successor has
 * not run for some seconds yet. */
struct worker_fault {
	bool raised;
	bool reported; /* the event of the alarm was sent */
	bool changed;  /* lasting changed: the event must be sent again */
	bool lasting;  /* the process has an alarm: an operator must act */
	int64_t since_s; /* Unix time at which the alarm was raised */
	char *reason; /* owned: reason while raised; NULL: not raised */
};

/* An error, and the Unix time at which it began. */
struct status_error {
	char *text; /* owned; NULL: none */
	int64_t since_s;
};

/* Sets the text of the error.  Another text is a new error, which begins at
 * now_s.  A text that differs only in numbers continues the former error.
 * NULL: the error has ended. */
void status_error_set(struct status_error *, const char *text, int64_t now_s);
/* Adds "error" and "error_since" to o. */
void status_error_add(json_t *o, const struct status_error *);

/* The kept state of a stream at the last call of
 * status_stream_note_kept(). */
struct status_kept {
	bool onair, logged_onair;
	unsigned position;
	/* off_s, and since_s of error, in struct status_stream */
	int64_t off_s, error_s;
};

struct status_output {
	char *address; /* as configured; NULL: not a string */
	bool is_http;
	struct output_fault fault;
};

/* The counts of an input since the start of the master. */
struct status_totals {
	uint64_t packets;
	uint64_t cc_error, pes_error, sc_error;
	/* datagrams that are missing by their sequence numbers */
	uint64_t lost;
	uint64_t socket_drops, sync_losses;
};

struct querier_proc;
struct queriers;

/* The interface on which an input receives its group. */
struct status_network {
	/* address of the input as configured; NULL: not a string */
	char *address;
	unsigned ifindex; /* 0: none */
	bool v6;
	bool alarmed;     /* the alarm no_querier is raised */
	/* the kernel drops the packets of the group: host_filters_groups() */
	bool filtered;
	uint64_t looked_ms; /* time when filtered was read; 0: never */
	/* Monotonic time of the last packets, or at which the wait for packets
	 * began.  While the interface is missing, the wait has not begun. */
	uint64_t received_ms;
	/* As received_ms, but the wait also runs while the interface is
	 * missing. */
	uint64_t heard_ms;
};

/* A raised alarm whose event was sent. */
struct status_raised {
	struct status_raised *next;
	unsigned place; /* position of the input; 0: the output */
	/* of an alarm of the output: position of the input that causes it; 0:
	 * none */
	unsigned cause;
	enum alarm_id alarm;
	int64_t since_s; /* Unix time since when the alarm is raised */
	/* owned: id of the stream from which the alarm was inherited; NULL:
	 * none */
	char *source;
};

struct status_stream {
	char *id;
	char *name;  /* NULL: the stream has none */
	char *fault; /* error for which the stream is not started; NULL: none */
	bool enabled;
	bool waiting; /* on demand: stopped until it gets a viewer or reader */
	bool mpts;
	size_t n_inputs;
	char *input_ids[MSG_INPUTS_MAX]; /* option id; NULL: none */
	/* [i]: link of the stream or adapter that the input reads; NULL:
	 * none */
	char *sources
		[MSG_INPUTS_MAX];
	struct status_network networks[MSG_INPUTS_MAX];
	size_t n_outputs;
	struct status_output outputs[MSG_OUTPUTS_MAX];

	struct worker_fault worker;
	/* error of the active input, or why the stream is off air */
	struct status_error error;
	/* Unix time since when the stream is off air; 0: it is not */
	int64_t off_s;
	struct status_error input_errors[MSG_INPUTS_MAX];
	struct status_totals totals[MSG_INPUTS_MAX];
	/* number of switches of input since the master runs */
	uint64_t switches;
	struct minute minute;
	struct hour *hour; /* NULL: not recorded */
	/* last report of the worker; owns its texts */
	struct msg_stream_status last;
	bool silent;         /* no worker reported the last second */
	bool down;           /* the worker failed since the last report */
	unsigned missed_s;   /* consecutive seconds without a report */
	bool logged_onair;   /* the last state in the log is on air */
	/* reason of the "off air" that the master logged; "": not logged */
	struct errmsg logged_off;
	/* pid of the worker when the master logged "off air"; 0: none */
	int off_pid;
	/* how many status reports of the worker in a row said off air, while
	 * the active input read a stream or an adapter; 0 otherwise */
	unsigned off_n;
	struct ratelimit air_limit;
	struct status_kept kept;
	/* Sets of alarms by place: 0 is the output, else the position of an
	 * input.  reported: raised alarms whose events were sent. */
	alarm_set reported[MSG_INPUTS_MAX + 1];
	alarm_set before[MSG_INPUTS_MAX + 1]; /* raised one report earlier */
	/* [i]: alarms that the stream which input i reads has raised as well;
	 * [0]: those that the output inherits from the active input */
	alarm_set theirs[MSG_INPUTS_MAX + 1];
	/* count of each alarm of the output when it was last raised */
	uint64_t counts[ALARM_COUNT];
	struct status_raised *raised; /* details of each alarm in reported */
	/* reported is from the previous master; no report has arrived yet */
	bool taken;
	struct ratelimit alarm_limit;
	unsigned position;   /* position of the last active input */
	int64_t wall_s;      /* Unix time of the end of the last second */
	uint64_t reported_ms;    /* monotonic time of the last stream_event */
};

struct status_stream *status_stream_new(const char *id);
void status_stream_free(struct status_stream **);

/* Sets the configuration (copied).  fault: the error for which the enabled
 * stream is not started; NULL: none. */
void status_stream_set(struct status_stream *, const struct stream_conf *,
		       const char *fault);

/* The stream was disabled or removed: clears its alarms and samples. */
void status_stream_end(struct status_stream *);

/* waiting: the stream waits for a viewer, so it is not on air and has no
 * errors. */
void status_stream_wait(struct status_stream *, bool waiting);

/* The stream was renamed to this id. */
void status_stream_rename(struct status_stream *, const char *id);

/* Adds a second that a worker reported.  amend: this second replaces the last
 * one, in which the report was missing. */
void status_stream_add(struct status_stream *,
			const struct msg_stream_status *, bool amend);

/* Updates output_fault of the outputs from the last second. */
void status_stream_judge(struct status_stream *,
			 const struct stream_proc_info *info);

/* Updates the alarm `worker'. */
void status_stream_judge_worker(struct status_stream *,
				const struct stream_proc_info *info);
/* Records the reported alarm `worker' for the next master: [since, reason], or
 * null. */
json_t *status_stream_write_worker(const struct status_stream *);
/* Takes a record of status_stream_write_worker() if it is valid. */
void status_stream_take_worker(struct status_stream *, const json_t *);
/* The worker has ended (failure: the reason; NULL: the master stopped it).
 * Logs that the stream is off air if it was on air and the worker failed. */
void status_stream_note_down(struct status_stream *, const char *failure);
/* Logs that the stream is off air if its worker hangs. */
void status_stream_note_hang(struct status_stream *,
			     const struct stream_proc_info *info);
/* Call it after a report: logs "on air" after the worker did not report for a
 * while.  For a stream whose active input reads another stream or an adapter,
 * logs each change between "on air" and "off air". */
void status_stream_note_report(struct status_stream *,
			       const struct stream_proc_info *info);
/* True: no worker has reported the last second of the enabled stream; ret is
 * the reason.  False: a worker has, or the stream is disabled or waits for a
 * viewer. */
bool status_stream_absence(const struct status_stream *,
			   const struct stream_proc_info *info,
			   struct errmsg *ret);

/* Writes the state in words: "on air (input 2, backup)", "OFF AIR (filler
 * plays)". */
void status_stream_words(const struct status_stream *,
			 const struct stream_proc_info *info, time_t now,
			 struct errmsg *ret);
/* Adds "state", "error", "error_since" and "off_since" to o. */
void status_stream_add_words(json_t *o, const struct status_stream *,
			     const struct stream_proc_info *info);
/* Call it after each second: updates the errors of the stream and of its
 * inputs. */
void status_stream_note_errors(struct status_stream *,
			       const struct stream_proc_info *info,
			       int64_t now_s);
/* Records the state for the next master, as members: on air or not, the active
 * input, since when it is off air, the errors, and what is in the log. */
json_t *status_stream_write_state(const struct status_stream *);
/* Takes the valid members of a record of status_stream_write_state(). */
void status_stream_take_state(struct status_stream *, const json_t *from);
/* Takes from the record whether the stream is on air, and nothing else, because
 * its worker continues to run.  This is valid until the first report, or until
 * a second without a report. */
void status_stream_take_onair(struct status_stream *, const json_t *from);
/* True: the state that status_write_kept() records has changed since the last
 * call of this function. */
bool status_stream_note_kept(struct status_stream *);

/* Records each output with a fault for the next master: [position, address,
 * since, reported, reason, time of the reason]. */
json_t *status_stream_write_faults(const struct status_stream *);
/* Takes a record of status_stream_write_faults(), for outputs that still have
 * the same address. */
void status_stream_take_faults(struct status_stream *, const json_t *list);

/* Returns the number of outputs with a fault. */
size_t status_stream_count_faults(const struct status_stream *);
/* Returns how many of the outputs with a fault send nothing; the others lose
 * some packets. */
size_t status_stream_count_mute(const struct status_stream *);

/* Returns the list "outputs" of the report, a new reference. */
json_t *status_stream_output_list(const struct status_stream *,
				  const struct stream_proc_info *info);

/* Adds a second in which no worker reported. */
void status_stream_miss(struct status_stream *);
/* The worker failed: the stream is off air at once. */
void status_stream_fail(struct status_stream *);
/* Returns the sum of the last n seconds, and the present state. */
struct minute_sum status_stream_sum(const struct status_stream *, size_t n);
/* Records the last second, which ended at this Unix time, in the hour.  amend:
 * it replaces the second that was recorded last. */
void status_stream_note_hour(struct status_stream *, int64_t now_s,
			     bool amend);
/* True: no report has arrived for STATUS_GONE_S seconds, so the alarms of the
 * last report count no more. */
bool status_stream_is_gone(const struct status_stream *);

/* Returns the raised alarms of the output, with output_fault and worker. */
alarm_set status_stream_alarms(const struct status_stream *);
/* Returns the raised alarms of a place; 0: the output, without output_fault and
 * worker. */
alarm_set status_stream_raised(const struct status_stream *, unsigned place);
/* Returns the part of the last report about the input at this position; NULL:
 * no worker reported the last second, or not this input. */
struct msg_input_status *status_stream_input(const struct status_stream *,
					     size_t position);
/* Call it after a report for each input that reads another stream (source):
 * marks the alarms that the source has as well.  If the input has an error, and
 * the source is off air, replaces the error by the reason of the source.
 * source NULL, or disabled: does nothing. */
void status_stream_relate(struct status_stream *, unsigned place,
			  struct status_stream *source);
/* The input at this place reads the adapter with this id, whose error is text.
 * If the input has an error and is off air, replaces its error by text. */
void status_stream_relate_adapter(struct status_stream *, unsigned place,
				  const char *id, const char *text);
/* Returns which of the raised alarms must wait for the next report, because the
 * source, or an input of a multiplex, may report the same alarm until then: the
 * alarm is then reported as inherited. */
alarm_set status_stream_held(const struct status_stream *, unsigned place,
			    alarm_set raised);
/* Returns the position of the input whose alarm causes the same alarm of the
 * output: the active input, or the first such input of a multiplex; 0: none. */
unsigned status_stream_cause(const struct status_stream *, enum alarm_id);
/* Stores a raised alarm of a place with its source and cause; the alarm is
 * inherited if the source has it as well.  The end of the alarm is reported
 * with the same source and cause, even if the input then reads another stream,
 * or is no longer active. */
void status_stream_note_raised(struct status_stream *, unsigned place,
			       enum alarm_id, int64_t now_s);
void status_stream_forget_raised(struct status_stream *, unsigned place,
				 enum alarm_id);
/* Adds the members with the source and the cause of an alarm. */
void status_stream_add_origin(json_t *o, const struct status_raised *);
/* Returns what status_stream_note_raised() stored for this alarm; NULL:
 * none. */
const struct status_raised *
status_stream_find_raised(const struct status_stream *, unsigned place,
			  enum alarm_id);
/* A stream was renamed from `from' to `to': renames it as source of raised
 * alarms. */
void status_stream_rename_source(struct status_stream *, const char *from,
				 const char *to);
/* Records the raised alarms for the next master: [place, alarm, since, source,
 * cause] each. */
json_t *status_stream_write_raised(const struct status_stream *);
/* Takes the valid alarms of a record of status_stream_write_raised().  Call it
 * before the first report. */
void status_stream_take_raised(struct status_stream *, const json_t *list);
/* Sets the networks of the inputs of conf; NULL: none.  An input with the same
 * address keeps the state of its network. */
void status_stream_set_networks(struct status_stream *,
				const struct stream_conf *conf);
/* Call it after a report: sets or clears the alarm no_querier of each input.
 * querier: knows the queriers; NULL: there is no querier worker. */
void status_stream_judge_network(struct status_stream *,
				 struct querier_proc *querier,
				 uint64_t now_ms);
/* Returns the index of the interface that receives the group of an input; 0:
 * none. */
unsigned status_interface(const struct msg_input_status *);
/* Counts the inputs of this stream on each network, for queriers_report().  A
 * stream that status_stream_is_gone() has none. */
void status_stream_count_networks(const struct status_stream *,
				  struct queriers *, uint64_t now_ms);

/* Returns the status of the stream for the API, a new reference.  info: from
 * the reconciler, all zero: unknown. */
json_t *status_stream_report(const struct status_stream *,
			     const struct stream_proc_info *info,
			     enum status_span);
json_t *status_stream_inputs(const struct status_stream *,
			     const struct stream_proc_info *info);
json_t *status_stream_outputs(const struct status_stream *,
			      const struct stream_proc_info *info);
json_t *status_stream_check(const struct status_stream *,
			    const struct stream_proc_info *info, bool *ret_ok);
/* True: the stream waits for a viewer; or it is enabled and on air, and at
 * least one of its outputs, if it has any, sends. */
bool status_stream_is_well(const struct status_stream *);

/* Appends the JSON entry of the stream in the overview. */
void status_stream_overview(const struct status_stream *,
			    const struct stream_proc_info *info,
			    status_sentence_fn *open, struct buf *to);
/* Appends the raised alarms of the stream to the list of the overview. */
void status_stream_list_alarms(struct status_stream *, json_t *list);
/* The process of the stream as reports show it; the texts are borrowed. */
struct status_worker {
	const char *state;
	uint64_t pid, restarts; /* pid 0: no process */
	const char *alarm;      /* NULL: no alarm */
};
struct status_worker status_stream_worker(const struct status_stream *,
					  const struct stream_proc_info *info);
/* Adds the object "worker" to o. */
void status_stream_add_worker(json_t *o, const struct status_stream *,
			      const struct stream_proc_info *info);
/* Returns the names of a set of alarms, a new list. */
json_t *status_alarm_names(alarm_set raised);

/* Returns the event for a switch of input, a new reference. */
json_t *status_stream_switch(const struct status_stream *,
			     const struct msg_stream_switched *);

/* Returns the next alarm event (raised or cleared), a new reference, and notes
 * it as reported.  NULL: there is none, or the rate limit holds it back. */
json_t *status_stream_alarm(struct status_stream *, uint64_t now_ms);
/* Forgets which alarms were reported, so that they are reported again. */
void status_stream_forget_reported(struct status_stream *);

/* status_stream_events() returns the number of stream_event messages of the
 * last second; 0: the stream waits for a viewer.  status_stream_event() writes
 * the i-th of them as JSON and returns its length in bytes; 0: too long. */
size_t status_stream_events(const struct status_stream *);
size_t status_stream_event(const struct status_stream *, size_t i,
			   char ret[STATUS_EVENT_MAX]);
