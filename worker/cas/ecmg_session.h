/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection to an ECM generator (ETSI TS 103 197 5): sets up one channel and
 * its streams, provides control words and receives ECMs.
 *
 * If the generator sends nothing for 10 s, it gets a channel_test; if it sends
 * nothing for 25 s, the session ends.  Any error of the connection ends the
 * session, and the owner makes another one.  An error of a stream, or no answer
 * to its set-up, ends only that stream.
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
	ECMG_WORDS = 6,   /* control words of a request */
	ECMG_LEAD_MAX = ECMG_WORDS - 2,
	ECMG_PACKETS_MAX = 8, /* packets of the longest ECM */
	ECMG_AC_MAX = 256,
};

/* What the generator requires, in its channel_status. */
struct ecmg_terms {
	bool packets; /* ECMs arrive as packets; false: as sections */
	int delay_start_ms, delay_stop_ms;
	/* delays where access criteria change */
	int ac_start_ms, ac_stop_ms;
	/* transition: the transition delays are for periods next to clear
	 * packets; false: the delays above are */
	bool transition;
	int transition_start_ms, transition_stop_ms;
	unsigned repetition_ms;
	unsigned period_ms; /* shortest crypto period */
	unsigned lead;      /* number of later periods whose words the generator
			     * gets in advance (lead_CW) */
	unsigned per_msg;   /* control words in a request (CW_per_msg) */
	unsigned answer_ms; /* longest time for the generator to make an ECM
			     * (max_comp_time) */
};

/* A request for the ECM of a crypto period. */
struct ecmg_request {
	uint16_t number;
	unsigned period_ms;
	/* control words of the periods number - 1, number, number + 1 and so
	 * on */
	uint8_t words[ECMG_WORDS][SIMULCRYPT_WORD];
	const uint8_t *ac; /* access criteria */
	size_t ac_len;
};

/* The session may be freed inside on_end, but in no other callback. */
struct ecmg_session_events {
	/* Called when the channel is set up. */
	void (*on_up)(const struct ecmg_terms *, void *arg);
	/* Called when a stream is set up (error NULL), or when an error has
	 * ended it. */
	void (*on_stream)(unsigned stream, const char *error, void *arg);
	/* Called when the generator has not answered a request in time. */
	void (*on_late)(unsigned stream, void *arg);
	void (*on_ecm)(unsigned stream, uint16_t number, struct ts_run,
		       void *arg);
	/* The last callback.  status: error_status of the generator; 0:
	 * none. */
	void (*on_end)(const char *error, unsigned status, void *arg);
};

struct ecmg_session_config {
	struct ev_loop *loop;
	int fd; /* descriptor of the connection, non-blocking; owned by the
		 * session */
	uint8_t version;
	uint32_t super_cas_id;
	uint16_t channel;
	uint16_t first_stream; /* ECM_stream_id of stream 0 */
	unsigned period_ms; /* nominal crypto period; the generator may require
			     * a longer one */
	const struct ecmg_session_events *events;
	void *arg;
};

struct ecmg_session *ecmg_session_new(const struct ecmg_session_config *);
/* NULL-safe.  Closes the channel. */
void ecmg_session_free(struct ecmg_session **);

/* ecmg_session_open() sets up a stream, below ECMG_STREAMS_MAX; it has no
 * effect before the channel is set up, or if the stream is set up already or
 * its set-up has no answer yet.
 * ecmg_session_close() closes the stream. */
void ecmg_session_open(struct ecmg_session *, unsigned stream);
void ecmg_session_close(struct ecmg_session *, unsigned stream);

/* Requests an ECM for a stream that is set up.  Replaces a request that was not
 * answered. */
void ecmg_session_ask(struct ecmg_session *, unsigned stream,
		      const struct ecmg_request *);
