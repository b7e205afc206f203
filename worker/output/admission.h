/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The permission of a caller of an output that listens.
 *
 * A caller gets no packet before the master has allowed it, and is dropped when
 * the master does not answer in time.  A receiver that has a permission stays
 * until the master denies it.
 *
 * Pure: time is an argument, and the question leaves through the asker.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	ADMISSION_ASK_MS = 3000,    /* longest wait for an answer */
	ADMISSION_RETRY_MS = 15000, /* time after ASK_BUSY, or no answer, until
				     * the master is asked about a receiver
				     * again */
};

/* The connection to the master for questions about callers, which all outputs
 * of a stream share. */
struct asker {
	bool authorize; /* false: every caller is allowed */
	uint32_t seq;   /* of the last question */
	/* Sends stream.ask and stream.left; -errno: not sent. */
	int (*send)(const struct msg *, void *arg);
	void *arg;
};

/* Embedded; zeroed memory is a caller without a question. */
struct admission {
	bool allowed;
	bool asked;          /* a question has told the master the number of
			      * the caller */
	bool again;          /* ask again after the answer */
	uint32_t seq;        /* of the question that is open; 0: none */
	uint64_t ask_ms;     /* time of that question */
	uint64_t recheck_ms; /* time of the next question; 0: never */
};

/* Asks about the caller; while a question is open, notes to ask again after its
 * answer.  If every caller is allowed, it is allowed at once. */
void admission_ask(struct admission *, struct asker *,
		   const struct msg_deliver_ask *, uint64_t now_ms);

/* Takes the answer of the master.  False: drop the caller. */
bool admission_answer(struct admission *, const struct msg_deliver_answer *,
		      uint64_t now_ms) MUST_CHECK;

enum admission_turn {
	ADMISSION_STAYS,
	ADMISSION_ASKS, /* call admission_ask() */
	ADMISSION_LATE, /* drop the caller: the master did not answer */
};

/* Call it once a second.  Returns what the owner has to do with the caller. */
enum admission_turn admission_second(struct admission *, uint64_t now_ms);

/* Call it when the caller was dropped before any report listed it, so that the
 * master forgets its number. */
void admission_end(const struct admission *, struct asker *, uint64_t client);
