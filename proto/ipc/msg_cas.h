/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The messages of cas; a part of msg.h.
 *
 * A stream has a channel to each worker of its conditional access systems.  On
 * that channel the cas worker has the place of a master.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* The control words of a request: those of the period before, of the
	 * period, and of the next ones. */
	MSG_CW_COUNT = 6,
	MSG_CAS_LEAD_MAX = MSG_CW_COUNT - 2,
	MSG_CAS_WORD = 8, /* bytes */
	MSG_CAS_ECM_PACKETS = 8,
	MSG_CAS_EMM_PACKETS = 64, /* in one message */
	MSG_CAS_PACKET = 188, /* bytes; two digits each in a message */
	MSG_CAS_AC_MAX = 256,
	MSG_CAS_STREAMS_MAX = 4096, /* of one worker */
};

struct msg_stream_cas {
	unsigned place;       /* in the list of stream.start */
};

struct msg_cas_start {
	const json_t *entry;  /* as configured (proto/spec/cas_spec.h) */
};

struct msg_cas_emmg {
	const char *error;    /* why the port is not open; NULL: it is */
	bool udp;             /* the second descriptor is for UDP */
};

struct msg_cas_link {
	const char *stream;
	const char *ac;       /* access criteria, hexadecimal digits */
};

/* How the ECMs of a stream are broadcast. */
struct msg_cas_terms {
	bool up;              /* ECMs are available */
	/* why ECMs or EMMs are not available; NULL: they are */
	const char *error;
	unsigned period_ms;   /* the shortest crypto period */
	/* from a change of the word to the begin of the next ECM, and to the
	 * end of the last one; negative: before the change */
	int delay_start_ms, delay_stop_ms;
	int ac_start_ms, ac_stop_ms; /* where access criteria change */
	/* the same where clear packets end and begin; false: no such rule */
	bool transition;
	int transition_start_ms, transition_stop_ms;
	unsigned repetition_ms;
	unsigned lead;        /* words beyond that of the period */
};

struct msg_cas_words {
	unsigned number;      /* of the crypto period, 16 bits */
	unsigned period_ms;
	const char *words;    /* MSG_CW_COUNT words in hexadecimal digits */
};

struct msg_cas_ecm {
	unsigned number;      /* of the cas.words that it answers */
	const char *packets;  /* of any PID, in hexadecimal digits */
};

struct msg_cas_emm {
	const char *packets;  /* of any PID, in hexadecimal digits */
};

struct msg_cas_status {
	uint32_t streams;     /* with an open ECM stream */
	uint64_t ecms;        /* received since the start */
	uint64_t emms;        /* packets received since the start */
	uint32_t emmgs;       /* connected EMM generators */
	const char *error;    /* why ECMs do not arrive; NULL: they do */
};
