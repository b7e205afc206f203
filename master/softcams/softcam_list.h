/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a worker for each softcam in use, and passes ECMs and control words
 * between streams and softcams.
 *
 * A softcam connects when the first stream that names it starts, or at once
 * with `force'.  With `split_cam', each stream has a worker of its own, and
 * `force' has no effect.  Messages are passed only between a stream and the
 * softcams that it names.
 *
 * Owns the workers; borrows the loop and the users.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "common/supervise/service_proc.h"
#include "proto/ipc/msg.h"
#include "proto/spec/cam_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

struct softcams;

enum {
	SOFTCAM_USES_MAX = 16, /* most softcams of a stream */
	SOFTCAM_LOGGED_IN = 3, /* status of an event: logged in */
	/* limit of ECMs, and of EMMs, of a stream in 10 s */
	SOFTCAM_ASKS_MAX = 500,
};

/* A stream that uses softcams.  Embedded; zeroed memory is ready, except for
 * send and arg. */
struct softcam_user {
	LIST_ENTRY(softcam_user) link;
	bool linked;
	const char *stream; /* id of the stream, borrowed */
	size_t n;
	char ids[SOFTCAM_USES_MAX][CAM_ID_MAX + 1];
	bool up; /* the worker of the stream can receive messages */
	struct ratelimit ecms, emms;
	void (*send)(const struct msg *, void *arg);
	void *arg;
};

/* The state of a softcam, for status and API. */
struct softcam_info {
	const char *id;
	bool up;
	/* why it is not logged in; NULL: no error, or not in use */
	const char *error;
	unsigned caid;
	unsigned processes;
	struct msg_softcam_status status; /* sums over all its workers */
	/* Sums that include ended processes, so they never decrease. */
	uint64_t refused, timeouts;
};

/* on_gone of the configuration is called when a worker has ended for good. */
struct softcams *softcams_new(const struct service_config *);
/* NULL-safe.  No stream may be linked. */
void softcams_free(struct softcams **);

/* Sets the list `softcam' of the configuration (may be NULL): changed entries
 * connect again, workers of removed ones end.  Does nothing after
 * softcams_stop().  NULL-safe. */
void softcams_set(struct softcams *, const json_t *list);

/* Stops all workers for good; on_gone is called for each that runs. */
void softcams_stop(struct softcams *);

/* Sets the softcams that a stream uses; n 0: none.  NULL-safe. */
void softcams_use(struct softcams *, struct softcam_user *);
/* Sends the worker of the stream the state of its softcams, if `up' is set:
 * call it when the worker has started.  NULL-safe. */
void softcams_user_up(struct softcams *, struct softcam_user *);
void softcams_user_down(struct softcam_user *);
/* Passes stream.ecm or stream.emm of a stream to the softcam that it names.
 * An ECM that cannot be passed is answered with an error; an EMM is
 * dropped. */
void softcams_take(struct softcams *, struct softcam_user *,
		   const struct msg *);

/* Gets an event once a second for a softcam that is logged in, and once for
 * each failed attempt, unless another worker of the softcam is logged in. */
typedef void softcam_event_fn(const struct softcam_info *, void *arg);
/* Sets the receiver of events; replaces a former one.  NULL-safe. */
void softcams_watch(struct softcams *, softcam_event_fn *, void *arg);

/* Reads the state of a softcam.  False: there is no such softcam.
 * NULL-safe. */
bool softcams_get(struct softcams *, const char *id, struct softcam_info *ret);

/* Returns worker i; NULL: there are no more. */
struct service_proc *softcams_service(const struct softcams *, size_t i);
