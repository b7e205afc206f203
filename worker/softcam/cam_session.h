/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection to a newcamd server: logs in, asks for the card, and passes
 * messages.
 *
 * The server greets, answers the login, and describes its card.  It has
 * timeout_ms for all of that.  Frames may come in pieces, and several at once.
 * CAM_KEEPALIVE_S after the last message of the server the session sends a
 * keepalive, even if it has sent requests since.  A server that has sent
 * nothing for twice that time is silent.
 *
 * Owns the connection; borrows the loop.
 */
#pragma once

#include "worker/softcam/card.h"
#include "worker/softcam/newcamd.h"

struct ev_loop;
struct cam_session;

enum { CAM_KEEPALIVE_S = 30 };

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
	unsigned keepalive_ms; /* 0: CAM_KEEPALIVE_S */
	/* Each is called once at most, and on_end last.  The session may be
	 * freed inside. */
	void (*on_card)(const struct card *, void *arg);
	void (*on_end)(enum cam_session_end, void *arg);
	/* A message after the card; it is borrowed.  The session may be freed
	 * inside.  NULL: the session rests after the card. */
	void (*on_message)(const struct newcamd_msg *, void *arg);
	void *arg;
};

struct cam_session *cam_session_new(const struct cam_session_config *);

/* After the card: sends a message, whose id it sets.  Returns the id.  -EPIPE:
 * the server does not read; on_end follows from the loop.  -EMSGSIZE: the
 * body is too long; -EIO: there are no random bytes. */
int cam_session_send(struct cam_session *, struct newcamd_msg *) MUST_CHECK;

/* NULL-safe. */
void cam_session_free(struct cam_session **);
