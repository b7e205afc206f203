/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state and the last minute of each stream, for the API and the event
 * channel.
 *
 * Keeps sixty samples of one second per stream, from the status of its worker.
 * If an enabled stream has no status in a second, adds an empty sample and
 * reports it, so that every enabled stream has at least one stream_event a
 * second, unless it waits for a viewer.
 *
 * Owns its memory and one timer.  Borrows loop, reconciler and hub; all must
 * outlive it.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

struct buf;
struct ev_loop;
struct reconciler;
struct hub;
struct querier_proc;
struct status;
struct stream_conf;

/* Greatest number of streams whose last hour is recorded, in 54 MB. */
enum { STATUS_HOURS_MAX = 1500 };

struct status_config {
	struct ev_loop *loop;
	struct reconciler *reconciler;
	struct hub *hub;
	struct querier_proc *querier; /* NULL: no querier worker */
	/* The result of status_write_kept() has changed.  The member may be
	 * NULL. */
	void (*on_change)(void *arg);
	void *arg;
};

struct status *status_new(const struct status_config *);
void status_free(struct status **);

/* Adds a stream, or changes its configuration (borrowed); its samples stay.
 * fault: the error for which an enabled stream is not started; NULL: none. */
void status_set_stream(struct status *, const char *id,
		       const struct stream_conf *, const char *fault);
/* The stream was renamed to `to`; its minute and its alarms stay. */
void status_rename_stream(struct status *, const char *from, const char *to);
/* Sends the events of the raised alarms of a stream again, because clients do
 * not know them under the new id. */
void status_repeat_alarms(struct status *, const char *id);
/* Removes a stream; sends the events that its raised alarms have ended. */
void status_remove_stream(struct status *, const char *id);

/* Returns the fault of status_set_stream(): why the enabled stream does not
 * run, borrowed; NULL: none. */
const char *status_fault(const struct status *, const char *id);
bool status_has_faults(const struct status *);

/* Adds a sentence for each stream whose process needs the operator
 * (quarantine). */
void status_worker_alarms(struct status *, json_t *list);

/* Takes the status of a running stream.  Ignores unknown ids and disabled
 * streams. */
void status_push(struct status *, const char *id,
		 const struct msg_stream_status *);

/* The process of a stream has ended; failure: the reason, NULL: the master
 * stopped it.  If a failure ended it while the stream was on air, logs that
 * the stream is off air.  The successor of the worker logs the return, unless
 * the stream reads another stream or an adapter. */
void status_down(struct status *, const char *id, const char *failure);

/* Records the minutes, and what status_write_kept() records, of all streams
 * that have samples, for the next master: a new reference. */
json_t *status_write(const struct status *);
/* Records only what does not change every second: the raised alarms, and for
 * each enabled stream whether and since when it is off air, its active input
 * and its errors. */
json_t *status_write_kept(const struct status *);
/* Takes the valid parts of a record of status_write() or status_write_kept().
 * Streams that are unknown, disabled or have samples are skipped. */
void status_take(struct status *, const json_t *);
/* A running stream has switched to another input: sends the event. */
void status_switched(struct status *, const char *id,
		     const struct msg_stream_switched *);

enum status_span {
	STATUS_SECOND = 0, /* t=0 of a request: the last second */
	STATUS_MINUTE = 1, /* t=1: the last minute */
};

/* Returns the status object of a stream, a new reference; NULL: the id is
 * unknown.  instance (may be NULL): name of the instance. */
json_t *status_stream(struct status *, const char *id, enum status_span,
		      const char *instance);

/* The codecs that viewers of a stream need. */
struct status_codecs {
	const char *names;      /* as in RFC 6381; "": unknown */
	unsigned width, height; /* of the picture, in pixels; 0: unknown */
};

/* Returns the codecs that the worker reported in the last second; borrowed
 * until the next report. */
struct status_codecs status_codecs(const struct status *, const char *id);

/* Returns the inputs of a stream and its last switches, a new reference; NULL:
 * the id is unknown. */
json_t *status_inputs(struct status *, const char *id, const char *instance);

/* Returns the outputs of a stream, as status_inputs(). */
json_t *status_outputs(struct status *, const char *id, const char *instance);

/* Returns a copy of a sentence without the parts that the client may not see;
 * the caller frees the copy. */
typedef char *status_sentence_fn(const char *text);
/* Appends a JSON list with a short status of all streams, sorted by id, to
 * `to', and their raised alarms to the list `alarms'.  Sentences are filtered
 * by open(); NULL: they are not filtered. */
void status_overview(struct status *, status_sentence_fn *open, struct buf *to,
		     json_t *alarms);
/* Appends the metrics of all streams (proto/wire/metrics_text.h).  The counters
 * of inputs and of switches begin with the start of this master. */
void status_metrics(struct status *, struct buf *to);
/* Returns the number of enabled streams that do not run yet, have not failed
 * and do not wait for a viewer: the service has just started them. */
size_t status_untried(struct status *);
/* Appends the raised alarms of all streams to list. */
void status_add_alarms(struct status *, json_t *list);

/* Returns the interfaces on which inputs use groups, and their queriers; a new
 * reference.  status_config.querier must not be NULL. */
json_t *status_network(struct status *, const char *instance);

/*
 * Returns the seconds of the last hour after the Unix time since_s, as
 * hour_report(), a new reference; NULL: the id is unknown.  "columns" is absent
 * if the hour is not recorded, because there are more than STATUS_HOURS_MAX
 * streams.
 */
json_t *status_history(struct status *, const char *id, int64_t since_s,
		       const char *instance);

/* Returns the hour of stream i, borrowed, and its id.  NULL: it is not
 * recorded, or there are fewer streams (*ret_id NULL). */
const struct hour *status_hour_at(const struct status *, size_t i,
				  const char **ret_id);
/* Takes the hour of a stream from a record and its bytes, as hour_take(). */
void status_take_hour(struct status *, const char *id, const json_t *record,
		      const uint8_t *bytes);

/* Returns the number of events so far, without the stream_event messages that
 * are sent every second. */
uint64_t status_changes(const struct status *);

/* Returns the object `status' of check-stream, a new reference; NULL: the id
 * is unknown.  *ret_ok: as status_stream_is_well(). */
json_t *status_check(struct status *, const char *id, bool *ret_ok);
