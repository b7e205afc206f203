/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transport connection to one module (EN 50221 7.1 and A.4.1).
 *
 * The module sends only when the host has sent: each message of the host has
 * one reply, which ends with the status of the module.  Pure.
 */
#pragma once

#include "worker/adapter/ci/ci_bytes.h"

enum {
	CI_CONNECTION = 1, /* number of the only connection */
	/* bits: what a received message contained */
	CI_LINK_ANSWER = 1 << 0,  /* status: the last reply is complete */
	CI_LINK_OPENED = 1 << 1,
	CI_LINK_CLOSED = 1 << 2,  /* the module has closed the connection */
	CI_LINK_OBJECT = 1 << 3,  /* ci_link.object is complete */
	CI_LINK_ASKED = 1 << 4,   /* the module requested another connection */
};

struct ci_link {
	bool open;
	bool waits;      /* the reply to the last message is not complete */
	bool has_data;   /* the last status announced data of the module */
	bool complete;   /* object is complete */
	size_t n;
	uint8_t object[CI_SPDU_MAX];
};

/* Prepares the link for a new module, and drops what was received from the last
 * one. */
void ci_link_init(struct ci_link *);

/* Each function writes a message to the module into to (CI_SEND_MAX bytes), and
 * returns its size. */
size_t ci_link_create(struct ci_link *, uint8_t *to);
size_t ci_link_poll(struct ci_link *, uint8_t *to);
size_t ci_link_receive(struct ci_link *, uint8_t *to);
/* Refuses another connection, because the host has one for each module. */
size_t ci_link_refuse(struct ci_link *, uint8_t *to);
/* Sends an object of the session layer: n bytes, at most CI_SEND_MAX - 8. */
size_t ci_link_send(struct ci_link *, const uint8_t *object, size_t n,
		    uint8_t *to);

/* Takes a message of the module.  Returns bits CI_LINK_*; -EBADMSG: it is
 * malformed; -EMSGSIZE: the object has more than CI_SPDU_MAX bytes. */
int ci_link_take(struct ci_link *, const uint8_t *data, size_t n);
