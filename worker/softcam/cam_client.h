/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stays connected to a newcamd server and requests control words from it.
 *
 * The client connects at once, and again after a pause that grows with each
 * consecutive failure.  Several ECMs may wait for the server at a time; the id
 * of the message assigns an answer to its ECM.  A known ECM is answered from
 * the table (ecm_table.h).  Every request is answered within the timeout; a
 * control word that arrives later is passed as a second answer.
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
	/* EMMs that are sent to the server: per second, and in a burst */
	CAM_EMM_RATE = 10,
	CAM_EMM_BURST = 20,
	/* an EMM that was among the last ones sent is not sent again */
	CAM_EMM_KNOWN = 64,
};

struct cam_client_config {
	struct ev_loop *loop;
	const char *host, *user, *password; /* copied */
	uint16_t port;
	uint8_t key[NEWCAMD_KEY];
	unsigned timeout_ms; /* limit for a connection, for a login and for an
			      * answer */
	/* on_card: the login has succeeded.  on_error: an attempt has failed,
	 * or the connection has ended. */
	void (*on_card)(const struct card *, void *arg);
	void (*on_error)(const char *error, void *arg);
	/* Passes an answer: words has ECM_WORDS bytes; or NULL, with an
	 * error. */
	void (*on_words)(const struct ecm_asker *, const uint8_t *words,
			 const char *error, void *arg);
	void *arg;
};

struct cam_client *cam_client_new(const struct cam_client_config *);
/* NULL-safe; sets *c to NULL. */
void cam_client_free(struct cam_client **);

/* Requests the control words of an ECM, of which sid, caid, provider, len and
 * section are set.  on_words may be called before the function returns. */
void cam_client_ecm(struct cam_client *, const struct ecm *,
		    const struct ecm_asker *);

/* Sends an EMM to the server.  Drops it if the client is not logged in, if it
 * exceeds CAM_EMM_RATE, or if it is one of the last CAM_EMM_KNOWN that were
 * sent. */
void cam_client_emm(struct cam_client *, const struct ecm *);

/* To be called once a second: writes the status, and wipes control words that
 * have expired. */
void cam_client_second(struct cam_client *, struct msg_softcam_status *ret);
