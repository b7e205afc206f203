/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ECMs that streams have recently requested, and their control words.
 *
 * Streams of the same service request the same ECM: it is sent to the server
 * once, and all of them get the answer.  Control words are kept for
 * ECM_KEPT_MS; an answer without control words, or a time-out, for
 * ECM_REFUSED_MS.
 *
 * Pure: the caller passes the time, and sends and answers.  The table is
 * limited: if all ECMs in it wait for the server, there is no room for another
 * one.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg_softcam.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ECM_TABLE_SIZE = 128,
	/* requests for one ECM that wait for the answer */
	ECM_ASKERS_MAX = 64,
	ECM_STREAM_MAX = 64,      /* bytes of a stream's id */
	ECM_KEPT_MS = 60000,      /* time that control words are kept */
	/* time that an answer without control words, or a time-out, is kept */
	ECM_REFUSED_MS = 3000,
	ECM_WORDS = 16,           /* bytes of both control words */
};

enum ecm_state {
	ECM_UNUSED,
	ECM_SENT,    /* waits for the answer of the server */
	ECM_LATE,    /* no answer in time; a later answer is still used */
	ECM_FOUND,
	ECM_REFUSED, /* the server has no control words for it */
};

/* A request of a stream. */
struct ecm_asker {
	char stream[ECM_STREAM_MAX + 1];
	uint32_t number;
};

struct ecm {
	enum ecm_state state;
	uint16_t id;        /* id of the message to the server */
	uint16_t sid, caid;
	uint32_t provider;
	uint64_t sent_ns;   /* time when the message was sent */
	uint64_t since_ns;  /* time since `state' */
	uint8_t words[ECM_WORDS];
	size_t n_askers;    /* number of requests that wait for the answer */
	struct ecm_asker askers[ECM_ASKERS_MAX];
	size_t len;
	uint8_t section[MSG_CAM_SECTION_MAX];
};

/* Embedded; zeroed memory is an empty table. */
struct ecm_table {
	struct ecm list[ECM_TABLE_SIZE];
};

/* Finds the ECM with the content and the service of `wanted'; NULL: it is not
 * in the table. */
struct ecm *ecm_table_find(struct ecm_table *, const struct ecm *wanted,
			   uint64_t now_ns);

/* Adds an ECM with the content of `wanted', in the state ECM_SENT and without
 * requests; NULL: there is no room. */
struct ecm *ecm_table_add(struct ecm_table *, const struct ecm *wanted,
			  uint64_t now_ns);

/* The ECM that was sent with this id and is not answered yet; NULL: none. */
struct ecm *ecm_table_of_id(struct ecm_table *, uint16_t id);

/* Returns an ECM that has waited for the server for timeout_ms; NULL: none. */
struct ecm *ecm_table_overdue(struct ecm_table *, unsigned timeout_ms,
			      uint64_t now_ns);

/* Wipes the control words that have expired. */
void ecm_table_expire(struct ecm_table *, uint64_t now_ns);

/* Adds a request to the ECM, unless the ECM already has it.  False: there is no
 * room. */
bool ecm_add_asker(struct ecm *, const char *stream, uint32_t number);
