/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of softcam_list.h, for its own files. */
#pragma once

#include "common/base/ratelimit.h"
#include "common/supervise/service_list.h"
#include "master/config/softcam_conf.h"
#include "master/softcams/softcam_list.h"

enum { SOFTCAM_ERROR_MAX = 128 };

/* A worker of a softcam. */
struct softcam_proc {
	struct service_item item; /* id: the stream, with split_cam; else "" */
	struct softcam *of;
	bool up; /* logged in: card counts */
	struct msg_softcam_result card;
	char error[SOFTCAM_ERROR_MAX]; /* why it is not; "": not known yet */
	struct ratelimit log;
	struct msg_softcam_status status;
};

struct softcam {
	LIST_ENTRY(softcam) link;
	struct softcams *all;
	json_t *entry; /* owns the texts of conf */
	const char *id;
	struct softcam_conf conf;
	struct errmsg error; /* why it cannot be used; "": it can */
	bool removed; /* its workers end */
	struct service_list procs;
	uint64_t refused, timeouts; /* ended processes had so many */
};

struct softcams {
	struct service_config owner;
	struct service_config cfg; /* of the workers */
	bool held; /* nothing is freed: a list is being read, or it stops */
	softcam_event_fn *on_event;
	void *arg;
	LIST_HEAD(, softcam) list;
	LIST_HEAD(, softcam_user) users;
};

/* The softcam with this id, unless it is removed; NULL: none. */
struct softcam *softcam_find(const struct softcams *, const char *id);

/* The worker of a softcam that serves this stream; NULL: none. */
struct softcam_proc *softcam_proc_of(const struct softcam *,
				     const char *stream);

bool softcam_is_used_by(const struct softcam_user *, const char *id);

/* --- softcam_pass.c --- */

extern const struct service_kind softcam_kind; /* self: a softcam_proc */

/* Reports a softcam to a stream that names it. */
void softcam_report_to(const struct softcams *, struct softcam_user *,
		       const char *id);
/* Reports a softcam to all streams that name it. */
void softcam_report(const struct softcams *, const char *id);
