/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of the structs of softcam_list.h, for its own files only. */
#pragma once

#include "common/base/ratelimit.h"
#include "common/supervise/service_list.h"
#include "master/config/softcam_conf.h"
#include "master/softcams/softcam_list.h"

enum { SOFTCAM_ERROR_MAX = 128 };

/* A worker of a softcam. */
struct softcam_proc {
	/* id: with split_cam that of the stream, else "" */
	struct service_item item;
	struct softcam *of;
	bool up; /* logged in; card is valid */
	struct msg_softcam_result card;
	/* why it is not logged in; "": not known yet */
	char error[SOFTCAM_ERROR_MAX];
	struct ratelimit log;
	struct msg_softcam_status status;
};

struct softcam {
	LIST_ENTRY(softcam) link;
	struct softcams *all;
	json_t *entry; /* owns the texts of conf */
	const char *id;
	struct softcam_conf conf;
	struct errmsg error; /* why the entry cannot be used; "": it can */
	/* the entry was changed or removed; its workers are ending */
	bool removed;
	struct service_list procs;
	uint64_t refused, timeouts; /* sums of ended processes */
};

struct softcams {
	/* the configuration given to softcams_new() */
	struct service_config owner;
	/* copy of owner for the workers, with another on_gone */
	struct service_config cfg;
	/* no softcam may be freed: softcams_set() reads the list, or
	 * softcams_stop() was called */
	bool held;
	softcam_event_fn *on_event;
	void *arg;
	LIST_HEAD(, softcam) list;
	LIST_HEAD(, softcam_user) users;
};

/* Returns the softcam with this id; NULL: none, or it was removed. */
struct softcam *softcam_find(const struct softcams *, const char *id);

/* Returns the worker of a softcam that serves this stream; NULL: none. */
struct softcam_proc *softcam_proc_of(const struct softcam *,
				     const char *stream);

bool softcam_is_used_by(const struct softcam_user *, const char *id);

/* --- softcam_pass.c --- */

extern const struct service_kind softcam_kind; /* its self is a softcam_proc */

/* Sends the state of a softcam, or that there is none with this id, to a
 * stream that names it, if the worker of the stream is up. */
void softcam_report_to(const struct softcams *, struct softcam_user *,
		       const char *id);
/* As softcam_report_to(), for all streams that name it. */
void softcam_report(const struct softcams *, const char *id);
