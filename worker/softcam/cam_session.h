/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection to a newcamd server: logs in and asks for the card.
 *
 * The server greets, answers the login, and describes its card.  It has
 * timeout_ms for all of that.  Frames may come in pieces, and several at once.
 *
 * Owns the connection; borrows the loop.
 */
#pragma once

#include "worker/softcam/card.h"
#include "worker/softcam/newcamd.h"

struct ev_loop;
struct cam_session;

enum cam_session_end {
	CAM_CLOSED,    /* the server closed the connection */
	CAM_SILENT,    /* no answer in time */
	CAM_MALFORMED, /* the answer is not of the protocol */
	CAM_DENIED,    /* wrong login, password or key */
};

struct cam_session_config {
	struct ev_loop *loop;
	int fd; /* taken: connected, does not block */
	const char *user; /* copied */
	const char *password;
	uint8_t key[NEWCAMD_KEY];
	unsigned timeout_ms;
	/* One of them is called, once.  The session may be freed inside. */
	void (*on_card)(const struct card *, void *arg);
	void (*on_end)(enum cam_session_end, void *arg);
	void *arg;
};

struct cam_session *cam_session_new(const struct cam_session_config *);
/* NULL-safe. */
void cam_session_free(struct cam_session **);
