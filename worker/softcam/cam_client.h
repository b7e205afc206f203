/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stays connected to a newcamd server and asks it for control words.
 *
 * Connects at once, and again after a pause that grows with each failure in a
 * row.  Several ECMs are with the server at a time; an answer is matched by the
 * id of its message.  An ECM that is known gets its answer from the table
 * (ecm_table.h).  Every request gets an answer within the timeout, and a late
 * control word is a second answer.
 *
 * Owns the connection; borrows the loop.
 */
#pragma once

#include "worker/softcam/card.h"
#include "worker/softcam/ecm_table.h"
#include "worker/softcam/newcamd.h"

struct cam_client;
struct ev_loop;

enum {
	/* EMMs that the server gets: in a second, and at once. */
	CAM_EMM_RATE = 10,
	CAM_EMM_BURST = 20,
	/* An EMM that was sent among the last ones is not sent again. */
	CAM_EMM_KNOWN = 64,
};

struct cam_client_config {
	struct ev_loop *loop;
	const char *host, *user, *password; /* copied */
	uint16_t port;
	uint8_t key[NEWCAMD_KEY];
	unsigned timeout_ms; /* for a connection, a login and an answer */
	/* The login succeeded; or error: an attempt failed, or the connection
	 * ended. */
	void (*on_card)(const struct card *, void *arg);
	void (*on_error)(const char *error, void *arg);
	/* An answer: ECM_WORDS bytes, or NULL and an error. */
	void (*on_words)(const struct ecm_asker *, const uint8_t *words,
			 const char *error, void *arg);
	void *arg;
};

struct cam_client *cam_client_new(const struct cam_client_config *);
/* NULL-safe; sets *c to NULL. */
void cam_client_free(struct cam_client **);

/* Requests the control words of an ECM, of which sid, caid, provider, len and
 * section are set.  on_words may be called inside. */
void cam_client_ecm(struct cam_client *, const struct ecm *,
		    const struct ecm_asker *);

/* Passes an EMM to the server; drops it if it exceeds CAM_EMM_RATE or was sent
 * lately. */
void cam_client_emm(struct cam_client *, const struct ecm *);

/* To be called once a second: writes the status, and wipes old control
 * words. */
void cam_client_second(struct cam_client *, struct msg_softcam_status *ret);
