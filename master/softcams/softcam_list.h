/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a worker for each softcam in use, and passes ECMs and control words
 * between streams and softcams.
 *
 * A softcam connects when the first stream that names it starts, or at once
 * with `force`.  With `split_cam` each stream has a worker of its own.
 * Messages are passed only between a stream and a softcam that it names.
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
	SOFTCAM_USES_MAX = 16, /* softcams of a stream */
	SOFTCAM_LOGGED_IN = 3, /* status of an event */
	SOFTCAM_ASKS_MAX = 500, /* ECMs, or EMMs, of a stream in 10 s */
};

/* A stream.  Embedded; zeroed memory apart from send and arg. */
struct softcam_user {
	LIST_ENTRY(softcam_user) link;
	bool linked;
	const char *stream; /* its id, borrowed */
	size_t n;
	char ids[SOFTCAM_USES_MAX][CAM_ID_MAX + 1];
	bool up; /* its worker takes messages */
	struct ratelimit ecms, emms;
	void (*send)(const struct msg *, void *arg);
	void *arg;
};

/* The state of a softcam, for users. */
struct softcam_info {
	const char *id;
	bool up;
	const char *error; /* why it is not logged in; NULL: no error, or not
			    * in use */
	unsigned caid;
	unsigned processes;
	struct msg_softcam_status status; /* sums */
	/* the sums beyond the end of processes: they do not go back */
	uint64_t refused, timeouts;
};

/* on_gone of the configuration: after the end of a worker. */
struct softcams *softcams_new(const struct service_config *);
/* NULL-safe.  No user is linked. */
void softcams_free(struct softcams **);

/* The list `softcam` of the configuration (may be NULL): changed entries
 * connect again, removed ones end.  NULL-safe. */
void softcams_set(struct softcams *, const json_t *list);

/* Ends all workers for good; on_gone follows for each that runs. */
void softcams_stop(struct softcams *);

/* The softcams that a stream uses from now on; n 0: none.  NULL-safe. */
void softcams_use(struct softcams *, struct softcam_user *);
/* Its worker has started: reports the softcams to it.  NULL-safe. */
void softcams_user_up(struct softcams *, struct softcam_user *);
void softcams_user_down(struct softcam_user *);
/* stream.ecm or stream.emm of a user. */
void softcams_take(struct softcams *, struct softcam_user *,
		   const struct msg *);

/* Called once a second for a softcam that is logged in, and once for each
 * failed attempt.  NULL-safe. */
typedef void softcam_event_fn(const struct softcam_info *, void *arg);
void softcams_watch(struct softcams *, softcam_event_fn *, void *arg);

/* False: there is no such softcam.  NULL-safe. */
bool softcams_get(struct softcams *, const char *id, struct softcam_info *ret);

/* The i-th worker; NULL: there are no more. */
struct service_proc *softcams_service(const struct softcams *, size_t i);
