/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each stream did in the last minute, for the API and the event channel.
 *
 * Remembers sixty one-second samples per stream.  A running worker feeds it;
 * for an enabled stream whose worker says nothing it notes and announces a
 * second of silence itself, so that every enabled stream has one stream_event
 * a second.
 *
 * Owns its memory and one timer.  Borrows loop, reconciler and hub; all must
 * outlive it.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

struct ev_loop;
struct reconciler;
struct hub;
struct querier_proc;
struct status;
struct stream_conf;

struct status_config {
	struct ev_loop *loop;
	struct reconciler *reconciler;
	struct hub *hub;
	struct querier_proc *querier; /* NULL: nobody listens for queries */
};

struct status *status_new(const struct status_config *);
void status_free(struct status **);

/* The stream is there and configured like this (borrowed); fault says why it
 * is not run although it is enabled, NULL when it is.  What was remembered
 * under this id stays. */
void status_set_stream(struct status *, const char *id,
		       const struct stream_conf *, const char *fault);
void status_remove_stream(struct status *, const char *id);

/* Why a stream is not run, or NULL: it is, or is not known. */
const char *status_fault(const struct status *, const char *id);
bool status_has_faults(const struct status *);

/* A second of a running stream, as the reconciler heard it.  Ids that were not
 * set, and streams that are not enabled, are ignored. */
void status_push(struct status *, const char *id,
		 const struct msg_stream_status *);

/* The minutes of all streams, as JSON, for another master; and back, for the
 * enabled ones that are set by then.  What is not sound is left out. */
json_t *status_write(const struct status *);
void status_take(struct status *, const json_t *);
/* A running stream plays another input: tells those who listen. */
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

/* The inputs of a stream and when it changed over between them, a new
 * reference; NULL when id is not known. */
json_t *status_inputs(struct status *, const char *id, const char *instance);

/* The outputs of a stream, as status_inputs(). */
json_t *status_outputs(struct status *, const char *id, const char *instance);

/* The interfaces on which inputs hear groups, and who asks for them there; a
 * new reference.  There is somebody who listens. */
json_t *status_network(struct status *, const char *instance);

/* The object `status` of check-stream, a new reference; NULL when id is not
 * known.  *ret_ok: enabled, active and on air. */
json_t *status_check(struct status *, const char *id, bool *ret_ok);
