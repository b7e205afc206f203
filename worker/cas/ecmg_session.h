/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection to an ECM generator (ETSI TS 103 197 5): sets up one channel and
 * its streams, provides control words and receives ECMs.
 *
 * A generator that sends nothing for a while is asked with a test, and given up
 * if it does not answer.  All errors of the connection end it: the owner makes
 * another one.  An error of a stream, or no answer to its set-up, ends that
 * stream alone.
 *
 * Owns the connection; borrows the loop and the events.
 */
#pragma once

#include "worker/cas/simulcrypt.h"
#include "worker/ts/packet.h"

#include <sys/types.h>

struct ecmg_session;
struct ev_loop;

enum {
	ECMG_STREAMS_MAX = 4096,
	ECMG_WORDS = 6,   /* of a request */
	ECMG_LEAD_MAX = ECMG_WORDS - 2,
	ECMG_PACKETS_MAX = 8, /* of an ECM */
	ECMG_AC_MAX = 256,
};

/* What the generator said of its channel. */
struct ecmg_terms {
	bool packets; /* ECMs come as packets, else as sections */
	int delay_start_ms, delay_stop_ms;
	/* where access criteria change */
	int ac_start_ms, ac_stop_ms;
	/* the same beside clear packets; false: the delays above */
	bool transition;
	int transition_start_ms, transition_stop_ms;
	unsigned repetition_ms;
	unsigned period_ms; /* the shortest crypto period */
	unsigned lead;      /* words beyond that of the period */
	unsigned per_msg;   /* words of a request */
	unsigned answer_ms; /* the longest time for an ECM */
};

/* The ECM of a crypto period is wanted. */
struct ecmg_request {
	uint16_t number;
	unsigned period_ms;
	/* the words of the periods from number - 1 on */
	uint8_t words[ECMG_WORDS][SIMULCRYPT_WORD];
	const uint8_t *ac; /* access criteria */
	size_t ac_len;
};

/* The session may be freed inside on_end, and in no other call. */
struct ecmg_session_events {
	/* The channel is set up. */
	void (*on_up)(const struct ecmg_terms *, void *arg);
	/* A stream is set up (error NULL), or an error ended it. */
	void (*on_stream)(unsigned stream, const char *error, void *arg);
	/* The generator did not answer a request in time. */
	void (*on_late)(unsigned stream, void *arg);
	void (*on_ecm)(unsigned stream, uint16_t number, struct ts_run,
		       void *arg);
	/* The last call.  status: error_status of the generator, or 0. */
	void (*on_end)(const char *error, unsigned status, void *arg);
};

struct ecmg_session_config {
	struct ev_loop *loop;
	int fd; /* taken: connected, does not block */
	uint8_t version;
	uint32_t super_cas_id;
	uint16_t channel;
	uint16_t first_stream; /* number of stream 0 */
	unsigned period_ms; /* the nominal one; the generator may want more */
	const struct ecmg_session_events *events;
	void *arg;
};

struct ecmg_session *ecmg_session_new(const struct ecmg_session_config *);
/* NULL-safe.  Closes the channel. */
void ecmg_session_free(struct ecmg_session **);

/* The first sets up a stream, below ECMG_STREAMS_MAX; it has no effect before
 * the channel is open or on a stream that is set up.  The other closes the
 * stream. */
void ecmg_session_open(struct ecmg_session *, unsigned stream);
void ecmg_session_close(struct ecmg_session *, unsigned stream);

/* Requests an ECM of a stream that is set up.  An unanswered request is
 * replaced. */
void ecmg_session_ask(struct ecmg_session *, unsigned stream,
		      const struct ecmg_request *);
