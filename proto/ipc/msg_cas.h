/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The messages of cas; a part of msg.h.
 *
 * A stream has a channel to the worker of each of its conditional access
 * systems.  On this channel the stream is the MSG_TO_WORKER side, and the cas
 * worker is the MSG_TO_MASTER side.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Control words in a cas.words: of the previous crypto period, of the
	 * period whose ECM is requested, and of the four periods after it. */
	MSG_CW_COUNT = 6,
	MSG_CAS_LEAD_MAX = MSG_CW_COUNT - 2,
	MSG_CAS_WORD = 8, /* bytes of a control word */
	MSG_CAS_ECM_PACKETS = 8,
	MSG_CAS_EMM_PACKETS = 64, /* packets in one cas.emm */
	MSG_CAS_PACKET = 188, /* bytes; a message has two digits for each */
	MSG_CAS_AC_MAX = 256, /* bytes of access criteria */
	MSG_CAS_STREAMS_MAX = 4096, /* streams of one cas worker */
};

struct msg_stream_cas {
	unsigned place;       /* index of the system in stream.start, from 0 */
};

struct msg_cas_start {
	const json_t *entry;  /* as configured (proto/spec/cas_spec.h) */
};

struct msg_cas_emmg {
	const char *error;    /* why the port is not open; NULL: it is open */
	bool udp;             /* the second descriptor is for UDP */
};

struct msg_cas_link {
	const char *stream;
	const char *ac;       /* access criteria, hexadecimal digits */
};

/* How the ECMs of a stream are broadcast. */
struct msg_cas_terms {
	bool up;              /* true: ECMs are available */
	/* why ECMs or EMMs are not available; NULL: no error */
	const char *error;
	unsigned period_ms;   /* the shortest crypto period that is possible */
	/* time from a change of the control word to the first broadcast of the
	 * new ECM, and to the last broadcast of the old one; below 0: before
	 * the change (TS 103 197, delay_start and delay_stop) */
	int delay_start_ms, delay_stop_ms;
	/* these two delays where the access criteria change */
	int ac_start_ms, ac_stop_ms;
	/* false: the next two members do not apply */
	bool transition;
	/* delay_start where clear packets end, delay_stop where they begin */
	int transition_start_ms, transition_stop_ms;
	unsigned repetition_ms; /* time between two broadcasts of an ECM */
	unsigned lead;        /* periods after the requested one whose control
			       * words the ECM generator needs in advance */
};

struct msg_cas_words {
	unsigned number;      /* number of the crypto period, 16 bits */
	unsigned period_ms;
	const char *words;    /* MSG_CW_COUNT words in hexadecimal digits */
};

struct msg_cas_ecm {
	unsigned number;      /* that of the cas.words which this answers */
	/* TS packets in hexadecimal digits; the receiver sets their PID */
	const char *packets;
};

struct msg_cas_emm {
	/* TS packets in hexadecimal digits; the receiver sets their PID */
	const char *packets;
};

struct msg_cas_status {
	uint32_t streams;     /* streams that have an ECM stream at the ECMG */
	uint64_t ecms;        /* ECMs received since the start */
	uint64_t emms;        /* packets of EMMs received since the start */
	uint32_t emmgs;       /* EMM generators that are connected */
	const char *error;    /* why no ECMs arrive; NULL: no error */
};
