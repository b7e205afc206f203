/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sessions of a module with the resources of the host (EN 50221 7.2).
 * Pure. */
#pragma once

#include "worker/adapter/ci/ci_bytes.h"

enum {
	CI_SESSIONS_MAX = 16,
	CI_SESSION_REPLY = 16, /* bytes of the buffer for a reply */
	CI_SESSION_HEAD = 4,   /* bytes in front of application objects */
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

/* Resource identifiers of EN 50221, by enum ci_resource. */
extern const uint32_t ci_resource_ids[CI_RESOURCES];

struct ci_sessions {
	/* resource of the session with number index + 1 */
	enum ci_resource of[CI_SESSIONS_MAX];
};

enum ci_session_event {
	CI_SESSION_NOTHING, /* a confirmation, or an object for a session that
			     * is not open */
	CI_SESSION_OPENED,
	CI_SESSION_REFUSED, /* the host lacks the resource or its version, or is
			     * out of sessions */
	CI_SESSION_CLOSED,
	CI_SESSION_DATA,
};

struct ci_session_object {
	unsigned number;
	enum ci_resource resource;
	uint32_t id;          /* identifier of the resource that was
			       * requested */
	struct ci_bytes data; /* application objects */
	uint8_t reply[CI_SESSION_REPLY];
	size_t n_reply;       /* 0: none */
};

/* Takes an object of the session layer.  Returns an enum ci_session_event, or
 * -EBADMSG. */
int ci_session_take(struct ci_sessions *, const uint8_t *data, size_t n,
		    struct ci_session_object *ret);

/* The number of the first session with this resource; 0: none. */
unsigned ci_session_find(const struct ci_sessions *, enum ci_resource);

/* Writes the CI_SESSION_HEAD bytes that stand in front of application
 * objects. */
void ci_session_put_head(unsigned number, uint8_t *to);

/* Closes a session: writes the message to the module, and returns its size. */
size_t ci_session_close(struct ci_sessions *, unsigned number, uint8_t *to);
