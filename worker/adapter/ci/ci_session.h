/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sessions of a module with the resources of the host (EN 50221 7.2).
 * Pure. */
#pragma once

#include "worker/adapter/ci/ci_bytes.h"

enum {
	CI_SESSIONS_MAX = 16,
	CI_SESSION_REPLY = 16, /* bytes of the longest reply */
	CI_SESSION_HEAD = 4,   /* in front of application objects */
};

enum ci_resource {
	CI_NO_RESOURCE,
	CI_MANAGER,
	CI_APPLICATION,
	CI_CA_SUPPORT,
	CI_DATE_TIME,
	CI_MMI,
	CI_RESOURCES,
};

/* The identifiers, in the order of the enum. */
extern const uint32_t ci_resource_ids[CI_RESOURCES];

struct ci_sessions {
	enum ci_resource of[CI_SESSIONS_MAX]; /* by number, from 1 */
};

enum ci_session_event {
	CI_SESSION_NOTHING, /* a session that is not open, or a confirmation */
	CI_SESSION_OPENED,
	CI_SESSION_REFUSED, /* the host has no such resource */
	CI_SESSION_CLOSED,
	CI_SESSION_DATA,
};

struct ci_session_object {
	unsigned number;
	enum ci_resource resource;
	uint32_t id;          /* of the resource that was refused */
	struct ci_bytes data; /* application objects */
	uint8_t reply[CI_SESSION_REPLY];
	size_t n_reply;       /* 0: none */
};

/* Takes an object of the module; an enum ci_session_event, or -EBADMSG. */
int ci_session_take(struct ci_sessions *, const uint8_t *data, size_t n,
		    struct ci_session_object *ret);

/* The number of the session with a resource; 0: none. */
unsigned ci_session_find(const struct ci_sessions *, enum ci_resource);

/* Writes what stands in front of application objects; CI_SESSION_HEAD bytes. */
void ci_session_put_head(unsigned number, uint8_t *to);

/* Closes a session: writes the request, and returns its size. */
size_t ci_session_close(struct ci_sessions *, unsigned number, uint8_t *to);
