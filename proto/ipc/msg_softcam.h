/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The messages of softcam, and those of a stream about softcams; a part of
 * msg.h.
 *
 * The master passes ECMs from stream workers to softcam workers, and control
 * words back.  So a stream worker never has the login of a server, and a
 * softcam worker never has a packet of a stream.
 */
#pragma once

#include "proto/ipc/msg_deliver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Most bytes of an ECM or EMM: 960 of a message of newcamd, and 3 of
	 * the section header. */
	MSG_CAM_SECTION_MAX = 960 + 3,
	/* The classes of answer times: up to 50, 100, 200, 400, 800, 1600, 3200
	 * milliseconds, and longer. */
	MSG_CAM_TIMES = 8,
};

struct msg_softcam_test {
	const char *host;
	unsigned port;
	const char *user, *password;
	const char *key; /* DES key of newcamd in 28 hexadecimal digits; any
			  * other text: the default key of newcamd */
};

struct msg_softcam_start {
	const char *host;
	unsigned port;
	const char *user, *password;
	const char *key; /* as in msg_softcam_test */
	unsigned timeout_ms; /* of a connection, a login and an answer */
};

struct msg_softcam_result {
	const char *error; /* NULL: the login succeeded */
	/* The members below describe the card of the server.  Their texts are
	 * hexadecimal digits. */
	unsigned caid;
	bool au;     /* the server accepts EMMs for the card */
	char ua[17]; /* unique address */
	size_t n;
	struct msg_softcam_ident {
		char id[7];  /* provider */
		char sa[17]; /* shared address */
	} idents[MSG_IDENTS_MAX];
};

struct msg_softcam_status {
	bool up;            /* logged in at the server */
	uint32_t ecm_rate;  /* ECMs that were sent in the last 60 seconds */
	uint32_t emm_rate;  /* EMMs that were sent in the last 60 seconds */
	/* The counts below are those since the start. */
	uint64_t hits;      /* answers from the cache */
	uint64_t misses;    /* ECMs that were sent to the server */
	uint64_t refused;   /* answers without a control word */
	uint64_t timeouts;  /* ECMs without an answer in time */
	size_t n_times;
	/* number of answers in each class of answer times (MSG_CAM_TIMES) */
	uint64_t times[MSG_CAM_TIMES];
};

/* A section from a stream to a softcam. */
struct msg_cam_section {
	/* in a message to the master the id of the softcam, in a message to a
	 * softcam the id of the stream */
	const char *name;
	unsigned number;     /* number of the request; 0: an EMM */
	unsigned sid;        /* program number */
	unsigned caid;
	unsigned provider;
	const char *section; /* the section in hexadecimal digits */
};

/* The answer to an ECM. */
struct msg_cam_word {
	/* in a message to the master the id of the stream, in a message to a
	 * stream the id of the softcam */
	const char *name;
	unsigned number;     /* that of the request which this answers */
	/* control words in hexadecimal digits; "": not known */
	const char *even, *odd;
	const char *error;   /* why there is no word; "": there is one */
};

/* The state of a softcam, for a stream whose input names it. */
struct msg_stream_cam {
	const char *softcam;
	const char *error;   /* why it is not logged in; "": it is logged in */
	unsigned caid;       /* CA system id of the card; 0: not known */
	bool emm;            /* the softcam accepts EMMs */
	const char *ua;      /* unique address of the card, as in
			      * msg_softcam_result */
	size_t n;
	struct msg_softcam_ident idents[MSG_IDENTS_MAX];
	unsigned timeout_ms; /* longest time for an answer */
	unsigned shift_ms;   /* delay of the packets of an input that sets no
			      * shift itself */
	unsigned skip_ecm;   /* so many first ECMs of a PID are ignored */
	bool ignore_cw;      /* checksums of control words are not checked */
};
