/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transport connection to one module (EN 50221 7.1 and A.4.1).
 *
 * The host asks and the module answers: each message of the host is followed by
 * one of the module, which ends with its status.  Pure.
 */
#pragma once

#include "worker/adapter/ci/ci_bytes.h"

enum {
	CI_CONNECTION = 1, /* the number of the only connection */
	/* What a received message was; bits. */
	CI_LINK_ANSWER = 1 << 0,  /* the module has answered */
	CI_LINK_OPENED = 1 << 1,
	CI_LINK_CLOSED = 1 << 2,  /* by the module */
	CI_LINK_OBJECT = 1 << 3,  /* a whole object of the session layer */
	CI_LINK_ASKED = 1 << 4,   /* for another connection */
};

struct ci_link {
	bool open;
	bool waits;      /* for the answer of the module */
	bool has_data;   /* the module has some, as its last status says */
	bool complete;   /* object is whole */
	size_t n;
	uint8_t object[CI_SPDU_MAX];
};

/* Prepares the link for a new module; nothing of the last module remains. */
void ci_link_init(struct ci_link *);

/* Each function writes a message for the module into to (CI_SEND_MAX bytes),
 * and returns its size. */
size_t ci_link_create(struct ci_link *, uint8_t *to);
size_t ci_link_poll(struct ci_link *, uint8_t *to);
size_t ci_link_receive(struct ci_link *, uint8_t *to);
/* Refuses another connection, because the host has one for each module. */
size_t ci_link_refuse(struct ci_link *, uint8_t *to);
/* Sends an object of n bytes, at most CI_SEND_MAX - 8. */
size_t ci_link_send(struct ci_link *, const uint8_t *object, size_t n,
		    uint8_t *to);

/* Takes a message of the module.  Returns CI_LINK_* bits; -EBADMSG: it is
 * malformed; -EMSGSIZE: an object has more than CI_SPDU_MAX bytes. */
int ci_link_take(struct ci_link *, const uint8_t *data, size_t n);
