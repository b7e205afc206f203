/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last minute of each stream, for the API and the event channel.
 *
 * Keeps sixty samples of one second per stream, from the status of its worker.
 * For an enabled stream without a status it adds an empty second and reports
 * it, so that every enabled stream has one stream_event a second.
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

enum { STATUS_HOURS_MAX = 1500 /* streams: 54 MB */ };

struct status_config {
	struct ev_loop *loop;
	struct reconciler *reconciler;
	struct hub *hub;
	struct querier_proc *querier; /* NULL: no querier worker */
	/* status_write_kept() writes other facts than before; may be NULL. */
	void (*on_change)(void *arg);
	void *arg;
};

struct status *status_new(const struct status_config *);
void status_free(struct status **);

/* Adds the stream or changes its configuration (borrowed); its samples stay.
 * fault: why an enabled stream does not run, or NULL. */
void status_set_stream(struct status *, const char *id,
		       const struct stream_conf *, const char *fault);
/* The stream has the id `to` now; its minute and its alarms stay. */
void status_rename_stream(struct status *, const char *from, const char *to);
/* Sends the events of its raised alarms again, because clients do not know the
 * id of the previous ones. */
void status_repeat_alarms(struct status *, const char *id);
/* Sends the events that its raised alarms ended. */
void status_remove_stream(struct status *, const char *id);

/* The fault of a stream, or NULL. */
const char *status_fault(const struct status *, const char *id);
bool status_has_faults(const struct status *);

/* Adds a sentence for each stream whose process needs the operator. */
void status_worker_alarms(struct status *, json_t *list);

/* A status of a running stream.  Ignores unknown ids and streams that are not
 * enabled. */
void status_push(struct status *, const char *id,
		 const struct msg_stream_status *);

/* Its process ended; failure: why, NULL: it was stopped.  Logs that the stream
 * is off air if it was on air: its successor logs the return. */
void status_down(struct status *, const char *id, const char *failure);

/* From master to master: the minutes of all streams as JSON; and back, for the
 * known enabled streams, without invalid parts. */
json_t *status_write(const struct status *);
/* Only what does not change every second: the raised alarms, and whether and
 * since when the enabled streams are off air. */
json_t *status_write_kept(const struct status *);
void status_take(struct status *, const json_t *);
/* A running stream has switched to another input: sends the event. */
void status_switched(struct status *, const char *id,
		     const struct msg_stream_switched *);

enum status_span {
	STATUS_SECOND = 0, /* t=0 */
	STATUS_MINUTE = 1, /* t=1 */
};

/* The stream status object, a new reference; NULL when id is not known.
 * instance may be NULL. */
json_t *status_stream(struct status *, const char *id, enum status_span,
		      const char *instance);

/* What the viewers of a stream must decode. */
struct status_codecs {
	const char *names;      /* RFC 6381; "": unknown */
	unsigned width, height; /* 0: unknown */
};

/* As its worker reported in the last second; borrowed until the next one. */
struct status_codecs status_codecs(const struct status *, const char *id);

/* The inputs of a stream and its switches between them, a new reference; NULL
 * when id is not known. */
json_t *status_inputs(struct status *, const char *id, const char *instance);

/* The outputs of a stream, as status_inputs(). */
json_t *status_outputs(struct status *, const char *id, const char *instance);

/* Returns the part of a sentence that its reader may see; owned by the
 * caller. */
typedef char *status_sentence_fn(const char *text);
/* Appends a short status of all streams, in the order of their ids, as a list
 * in JSON, and their raised alarms to the list `alarms`.  Sentences pass
 * through open(); NULL: they are whole. */
void status_overview(struct status *, status_sentence_fn *open, struct buf *to,
		     json_t *alarms);
/* Appends the metrics of all streams (proto/wire/metrics_text.h); counters
 * begin with this master. */
void status_metrics(struct status *, struct buf *to);
/* The number of enabled streams that neither run, nor have failed, nor wait for
 * a viewer: the service has just started them. */
size_t status_untried(struct status *);
/* Appends the raised alarms of all streams alone. */
void status_add_alarms(struct status *, json_t *list);

/* The interfaces on which inputs use groups, and their queriers; a new
 * reference.  status_config.querier must not be NULL. */
json_t *status_network(struct status *, const char *instance);

/*
 * The last hour behind since_s, second by second, a new reference; NULL when id
 * is not known.  See hour_report(); "columns" is absent where the hour is not
 * recorded, because there are more than STATUS_HOURS_MAX streams.
 */
json_t *status_history(struct status *, const char *id, int64_t since_s,
		       const char *instance);

/* The hour of the i-th stream, borrowed, with its id; NULL: it is not recorded,
 * or *ret_id is NULL, because there are fewer streams. */
const struct hour *status_hour_at(const struct status *, size_t i,
				  const char **ret_id);
/* Takes a record and its bytes, see hour_take(). */
void status_take_hour(struct status *, const char *id, const json_t *record,
		      const uint8_t *bytes);

/* Counts what events report, without those of every second. */
uint64_t status_changes(const struct status *);

/* The object `status` of check-stream, a new reference; NULL when id is not
 * known.  *ret_ok: enabled, active and on air. */
json_t *status_check(struct status *, const char *id, bool *ret_ok);
