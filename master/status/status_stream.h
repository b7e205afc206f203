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
	/* a worker that is silent for so long has no known alarms */
	STATUS_GONE_S = 3,
	STATUS_HANG_S = 2, /* "off air" is logged */
	/* bytes of an event of a second: two ids, of which each byte may take
	 * six, and the numbers */
	STATUS_EVENT_MAX = 2 * 6 * IO_ID_MAX + 256,
	OUTPUT_FAULT_RAISE_S = 3,
	OUTPUT_FAULT_CLEAR_S = 5,
};

/*
 * The alarm output_fault of one output.  Three seconds in a row with an error
 * raise it, five without an error clear it, so that retries do not toggle the
 * alarm.
 */
struct output_fault {
	bool raised;
	bool reported; /* the event of the alarm was sent */
	bool changed;  /* it is sent again, because the reason is another */
	int64_t since_s; /* Unix time of its first error */
	int64_t reason_s; /* Unix time at which this reason began */
	uint8_t in_s; /* seconds in a row that contradict the state */
	uint8_t sends_s; /* seconds in a row with packets, at most UINT8_MAX */
	char *reason; /* owned: the last error while raised, or NULL */
};

/* Clears the alarm without delay, when the state of the output is unknown. */
void output_fault_clear(struct output_fault *);

/* The alarm worker: the process failed, and its successor has not run for some
 * seconds. */
struct worker_fault {
	bool raised;
	bool reported; /* the event of the alarm was sent */
	bool changed;  /* it is sent again, because the reason is another */
	bool lasting;  /* an operator must act: quarantine */
	int64_t since_s; /* Unix time at which it was raised */
	char *reason; /* owned: while raised, or NULL */
};

/* An error and the Unix time of its begin. */
struct status_error {
	char *text; /* owned; NULL: none */
	int64_t since_s;
};

/* Another text begins now, one with other numbers does not; NULL ends it. */
void status_error_set(struct status_error *, const char *text, int64_t now_s);
/* Adds "error" and "error_since". */
void status_error_add(json_t *o, const struct status_error *);

/* The state that status_stream_note_kept() saw last. */
struct status_kept {
	bool onair, logged_onair;
	unsigned position;
	int64_t off_s, error_s;
};

struct status_output {
	char *address; /* as configured; NULL: not a text */
	bool is_http;
	struct output_fault fault;
};

/* The sums of an input; they begin with the master. */
struct status_totals {
	uint64_t packets;
	uint64_t cc_error, pes_error, sc_error;
	uint64_t lost; /* datagrams missing by their count */
	uint64_t socket_drops, sync_losses;
};

struct querier_proc;
struct queriers;

/* The interface on which an input receives its group. */
struct status_network {
	char *address; /* of the input, as configured; NULL: not a text */
	unsigned ifindex; /* 0: none */
	bool v6;
	bool alarmed;     /* silent without a querier */
	bool filtered;    /* the kernel drops its packets, see host_advice.h */
	uint64_t looked_ms; /* when that was read; 0: never */
	/* time of the last packets, or start of the wait */
	uint64_t received_ms;
	/* the same, also while the interface is down or was removed */
	uint64_t heard_ms;
};

/* An alarm that was reported as raised. */
struct status_raised {
	struct status_raised *next;
	unsigned place; /* 0: the output */
	unsigned cause; /* of an alarm of the output: the input that has it
			 * too; 0: none */
	enum alarm_id alarm;
	int64_t since_s;
	char *source; /* owned: the stream it was inherited from, or NULL */
};

struct status_stream {
	char *id;
	char *name;  /* NULL if the stream has none */
	char *fault; /* why an enabled stream does not run, or NULL */
	bool enabled;
	bool waiting; /* for a viewer: it is on demand, and does not run */
	bool mpts;
	size_t n_inputs;
	char *input_ids[MSG_INPUTS_MAX]; /* option id; NULL: position */
	char *sources
		[MSG_INPUTS_MAX]; /* stream that the input reads, or NULL */
	struct status_network networks[MSG_INPUTS_MAX];
	size_t n_outputs;
	struct status_output outputs[MSG_OUTPUTS_MAX];

	struct worker_fault worker;
	struct status_error error; /* why it is off air, or of the active one */
	int64_t off_s; /* Unix time at which it went off air; 0: on air */
	struct status_error input_errors[MSG_INPUTS_MAX];
	struct status_totals totals[MSG_INPUTS_MAX];
	uint64_t switches; /* between inputs, since the master runs */
	struct minute minute;
	struct hour *hour; /* NULL: not recorded */
	struct msg_stream_status last; /* the worker's; owns its texts */
	bool silent;         /* no worker reported the last second */
	bool down;           /* its worker failed since the last report */
	unsigned missed_s;   /* seconds without a report, in a row */
	bool logged_onair;   /* on air, as far as the log knows */
	struct errmsg logged_off; /* off air, by the master: why; or "" */
	int off_pid;         /* its process, if it runs; or 0 */
	unsigned off_n;      /* reports off air in a row, of a reader */
	struct ratelimit air_limit;
	struct status_kept kept;
	/* alarms by place; 0: the output */
	alarm_set reported[MSG_INPUTS_MAX + 1];
	alarm_set before[MSG_INPUTS_MAX + 1]; /* raised a second ago */
	alarm_set theirs[MSG_INPUTS_MAX + 1]; /* raised at the source, too */
	uint64_t counts[ALARM_COUNT]; /* of the output, when raised last */
	struct status_raised *raised; /* reported as raised */
	bool taken; /* reported by the previous master; no report yet */
	struct ratelimit alarm_limit;
	unsigned position;   /* last active input */
	int64_t wall_s;      /* end of the last second */
	uint64_t reported_ms;    /* time of its event, monotonic */
};

struct status_stream *status_stream_new(const char *id);
void status_stream_free(struct status_stream **);

/* Copies the configuration. */
void status_stream_set(struct status_stream *, const struct stream_conf *,
		       const char *fault);

/* It is disabled or removed: it has neither alarms nor samples. */
void status_stream_end(struct status_stream *);

/* It waits for a viewer, or not: while it waits it is neither on air nor has it
 * errors. */
void status_stream_wait(struct status_stream *, bool waiting);

/* Its id is this now. */
void status_stream_rename(struct status_stream *, const char *id);

/* Adds a second of a worker; amend: replaces a second without a report. */
void status_stream_add(struct status_stream *,
			const struct msg_stream_status *, bool amend);

/* Updates the alarms of the outputs from that second. */
void status_stream_judge(struct status_stream *,
			 const struct stream_proc_info *info);

/* Updates the alarm worker. */
void status_stream_judge_worker(struct status_stream *,
				const struct stream_proc_info *info);
/* From master to master: the alarm worker that clients know, [since, reason],
 * or null; and back, without an invalid one. */
json_t *status_stream_write_worker(const struct status_stream *);
void status_stream_take_worker(struct status_stream *, const json_t *);
/* The lines "off air" and "on air" of a stream whose worker cannot log them: it
 * ended by itself (failure: why; NULL: it was stopped), or it hangs, or reports
 * again after that, or it reads another stream. */
void status_stream_note_down(struct status_stream *, const char *failure);
void status_stream_note_hang(struct status_stream *,
			     const struct stream_proc_info *info);
void status_stream_note_report(struct status_stream *,
			       const struct stream_proc_info *info);
/* Why no worker reports the state of an enabled stream; false: it does, or the
 * stream is not enabled. */
bool status_stream_absence(const struct status_stream *,
			   const struct stream_proc_info *info,
			   struct errmsg *ret);

/* Its state: "on air (input 2, backup)", "OFF AIR (filler plays)". */
void status_stream_words(const struct status_stream *,
			 const struct stream_proc_info *info, time_t now,
			 struct errmsg *ret);
/* Adds "state", "error", "error_since" and "off_since". */
void status_stream_add_words(json_t *o, const struct status_stream *,
			     const struct stream_proc_info *info);
/* After each second: the errors of the stream and of its inputs. */
void status_stream_note_errors(struct status_stream *,
			       const struct stream_proc_info *info,
			       int64_t now_s);
/* From master to master: on air or not, the active input, since when it is off
 * air, the errors and what is logged, as members; and back, without invalid
 * ones. */
json_t *status_stream_write_state(const struct status_stream *);
void status_stream_take_state(struct status_stream *, const json_t *from);
/* On air or not as that says, until the first report or a second without one:
 * the worker runs on. */
void status_stream_take_onair(struct status_stream *, const json_t *from);
/* Does it write another state than at the last call? */
bool status_stream_note_kept(struct status_stream *);

/* From master to master: [position, address, since, reported, reason, begin of
 * the reason] of each output with a fault; and back, where the output still has
 * this address. */
json_t *status_stream_write_faults(const struct status_stream *);
void status_stream_take_faults(struct status_stream *, const json_t *list);

/* The number of outputs with a fault. */
size_t status_stream_count_faults(const struct status_stream *);
/* Those of them that send nothing.  The others send, but not all packets. */
size_t status_stream_count_mute(const struct status_stream *);

/* The list "outputs" of the report. */
json_t *status_stream_output_list(const struct status_stream *,
				  const struct stream_proc_info *info);

/* Adds a second without a report of a worker. */
void status_stream_miss(struct status_stream *);
/* Its worker failed: it is off air before the second ends. */
void status_stream_fail(struct status_stream *);
/* The last n seconds, and the state of now. */
struct minute_sum status_stream_sum(const struct status_stream *, size_t n);
/* Records the last second, which ended at this Unix time, in the hour; amend:
 * it replaces the one before. */
void status_stream_note_hour(struct status_stream *, int64_t now_s,
			     bool amend);
/* The last report is too old for alarms, or there was none. */
bool status_stream_is_gone(const struct status_stream *);

/* The raised alarms of the output, as bits. */
alarm_set status_stream_alarms(const struct status_stream *);
/* The raised alarms of a place; 0: the output, without those of single
 * outputs. */
alarm_set status_stream_raised(const struct status_stream *, unsigned place);
/* The last report of an input; NULL: none. */
struct msg_input_status *status_stream_input(const struct status_stream *,
					     size_t position);
/* After a report, for each input that reads another stream: marks the alarms
 * that the source has too, and sets the error of the input to the reason why
 * the source is off air.  NULL: there is no source. */
void status_stream_relate(struct status_stream *, unsigned place,
			  struct status_stream *source);
/* The same for an input that reads an adapter with this error. */
void status_stream_relate_adapter(struct status_stream *, unsigned place,
				  const char *id, const char *text);
/* The raised alarms that are reported a second later, because the source, or an
 * input of a multiplex, may report the same first. */
alarm_set status_stream_held(const struct status_stream *, unsigned place,
			    alarm_set raised);
/* The input that has the same alarm as the output, which follows from it: the
 * active one, or the first one of those of a multiplex; 0: none. */
unsigned status_stream_cause(const struct status_stream *, enum alarm_id);
/* Records a raised alarm of a place, as inherited if the source has it too.
 * The end of the alarm is reported with the same source and cause, even if the
 * input then reads another stream, or is no longer active. */
void status_stream_note_raised(struct status_stream *, unsigned place,
			       enum alarm_id, int64_t now_s);
void status_stream_forget_raised(struct status_stream *, unsigned place,
				 enum alarm_id);
/* Adds the members that say what the alarm follows from. */
void status_stream_add_origin(json_t *o, const struct status_raised *);
/* The record, or NULL. */
const struct status_raised *
status_stream_find_raised(const struct status_stream *, unsigned place,
			  enum alarm_id);
/* The stream `from` has the id `to` now. */
void status_stream_rename_source(struct status_stream *, const char *from,
				 const char *to);
/* From master to master: [place, alarm, since, source, cause] of each; and
 * back, before the first report, without invalid ones. */
json_t *status_stream_write_raised(const struct status_stream *);
void status_stream_take_raised(struct status_stream *, const json_t *list);
/* The networks of the inputs of conf; NULL: none.  An input whose address is
 * the same keeps what is known of its network. */
void status_stream_set_networks(struct status_stream *,
				const struct stream_conf *conf);
/* After a report: alarms that depend on more than the stream.  querier: the
 * state of queriers; NULL: no querier worker. */
void status_stream_judge_network(struct status_stream *,
				 struct querier_proc *querier,
				 uint64_t now_ms);
/* The index of the interface of an input's group, or 0. */
unsigned status_interface(const struct msg_input_status *);
/* Counts the inputs of groups for a report. */
void status_stream_count_networks(const struct status_stream *,
				  struct queriers *, uint64_t now_ms);

/* info: from the reconciler, all zero if unknown. */
json_t *status_stream_report(const struct status_stream *,
			     const struct stream_proc_info *info,
			     enum status_span);
json_t *status_stream_inputs(const struct status_stream *,
			     const struct stream_proc_info *info);
json_t *status_stream_outputs(const struct status_stream *,
			      const struct stream_proc_info *info);
json_t *status_stream_check(const struct status_stream *,
			    const struct stream_proc_info *info, bool *ret_ok);
/* Is it enabled and on air, and does an output send, if it has one? */
bool status_stream_is_well(const struct status_stream *);

/* Appends the entry of the stream in the overview, as JSON. */
void status_stream_overview(const struct status_stream *,
			    const struct stream_proc_info *info,
			    status_sentence_fn *open, struct buf *to);
/* Appends the raised alarms of the stream to the list of the overview. */
void status_stream_list_alarms(struct status_stream *, json_t *list);
/* The process of the stream as every report shows it; the texts are
 * borrowed. */
struct status_worker {
	const char *state;
	uint64_t pid, restarts; /* pid 0: none runs */
	const char *alarm;      /* NULL: none */
};
struct status_worker status_stream_worker(const struct status_stream *,
					  const struct stream_proc_info *info);
/* Adds the object "worker". */
void status_stream_add_worker(json_t *o, const struct status_stream *,
			      const struct stream_proc_info *info);
/* The names of alarms, given as bits; a new list. */
json_t *status_alarm_names(alarm_set raised);

/* The event that another input is active. */
json_t *status_stream_switch(const struct status_stream *,
			     const struct msg_stream_switched *);

/* The next alarm event (raised or cleared), which counts as reported from now
 * on.  NULL if there is none, or if the rate limit holds it back. */
json_t *status_stream_alarm(struct status_stream *, uint64_t now_ms);
/* No alarm counts as reported. */
void status_stream_forget_reported(struct status_stream *);

/* The number of stream_event messages of the last second (at least one); and
 * the i-th of them as JSON: its length. */
size_t status_stream_events(const struct status_stream *);
size_t status_stream_event(const struct status_stream *, size_t i,
			   char ret[STATUS_EVENT_MAX]);
