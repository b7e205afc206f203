/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ECMs that streams have asked about lately, and their control words.
 *
 * Streams of the same service ask about the same ECM: it is sent to the server
 * once, and all of them get the answer.  The control words stay for a while,
 * and so does an answer without control words.
 *
 * Pure: the caller passes the time and carries out the effects.  All of it is
 * bounded: if every place waits for the server, a new ECM finds no room.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg_softcam.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ECM_TABLE_SIZE = 128,
	ECM_ASKERS_MAX = 64,      /* requests for the same ECM */
	ECM_STREAM_MAX = 64,      /* bytes of the id of a stream */
	ECM_KEPT_MS = 60000,      /* control words */
	ECM_REFUSED_MS = 3000,    /* an answer without control words */
	ECM_WORDS = 16,           /* bytes of both control words */
};

enum ecm_state {
	ECM_UNUSED,
	ECM_SENT,    /* the server has not answered */
	ECM_LATE,    /* nor in time; an answer would still be used */
	ECM_FOUND,
	ECM_REFUSED, /* the server has no control words, or is not there */
};

/* A request of a stream. */
struct ecm_asker {
	char stream[ECM_STREAM_MAX + 1];
	uint32_t number;
};

struct ecm {
	enum ecm_state state;
	uint16_t id;        /* of the message to the server */
	uint16_t sid, caid;
	uint32_t provider;
	uint64_t sent_ns;   /* of the message */
	uint64_t since_ns;  /* of the state */
	uint8_t words[ECM_WORDS];
	size_t n_askers;    /* that wait for an answer */
	struct ecm_asker askers[ECM_ASKERS_MAX];
	size_t len;
	uint8_t section[MSG_CAM_SECTION_MAX];
};

/* Embedded; zeroed memory is an empty table. */
struct ecm_table {
	struct ecm list[ECM_TABLE_SIZE];
};

/* Finds the ECM with the content and service of `wanted'; NULL: the table lacks
 * it. */
struct ecm *ecm_table_find(struct ecm_table *, const struct ecm *wanted,
			   uint64_t now_ns);

/* A place for an ECM, with the content of `wanted`, in the state ECM_SENT and
 * without askers; NULL: there is no room. */
struct ecm *ecm_table_add(struct ecm_table *, const struct ecm *wanted,
			  uint64_t now_ns);

/* The ECM that was sent with this id and has no answer yet; NULL: none. */
struct ecm *ecm_table_of_id(struct ecm_table *, uint16_t id);

/* The next ECM that has been with the server for timeout_ms; NULL: none. */
struct ecm *ecm_table_overdue(struct ecm_table *, unsigned timeout_ms,
			      uint64_t now_ns);

/* Wipes the control words that are not kept any more. */
void ecm_table_expire(struct ecm_table *, uint64_t now_ns);

/* Adds a request to the ECM; the same request counts once.  False: there is no
 * room. */
bool ecm_add_asker(struct ecm *, const char *stream, uint32_t number);
