/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection to a newcamd server: logs in, requests the card, and passes
 * messages.
 *
 * The server sends a greeting, answers the login and describes its card.  All
 * of that must not take longer than timeout_ms.  A read may return a part of a
 * frame, or several frames.  CAM_KEEPALIVE_S after the last message of the
 * server, the session sends a keepalive, even if it has sent requests since.
 * If the server has sent nothing for twice that time, the session ends with
 * CAM_SILENT.
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
	CAM_CLOSED,    /* the connection was closed, or a message cannot be
			* sent */
	CAM_SILENT,    /* the server did not answer in time */
	CAM_MALFORMED, /* the server sent an invalid frame or message */
	CAM_DENIED,    /* user name, password or key is wrong */
};

struct cam_session_config {
	struct ev_loop *loop;
	int fd; /* descriptor of the connection, non-blocking; owned by the
		 * session */
	const char *user; /* copied */
	const char *password;
	uint8_t key[NEWCAMD_KEY];
	unsigned timeout_ms;
	unsigned keepalive_ms; /* interval of keepalives; 0: CAM_KEEPALIVE_S */
	/* Each is called at most once; on_end is the last callback.  The owner
	 * may free the session in both. */
	void (*on_card)(const struct card *, void *arg);
	void (*on_end)(enum cam_session_end, void *arg);
	/* Passes a message (borrowed) that follows the card.  The owner may
	 * free the session in it.  NULL: the session stops after the card. */
	void (*on_message)(const struct newcamd_msg *, void *arg);
	void *arg;
};

struct cam_session *cam_session_new(const struct cam_session_config *);

/* Sends a message, after the card was received; sets its id.  Returns the id.
 * -EPIPE: the server does not read, and on_end will be called from the loop.
 * -EMSGSIZE: the body is too long.  -EIO: the system has no random bytes. */
int cam_session_send(struct cam_session *, struct newcamd_msg *) MUST_CHECK;

/* NULL-safe. */
void cam_session_free(struct cam_session **);
