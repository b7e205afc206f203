/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The messages of softcam, and those of a stream about softcams; a part of
 * msg.h.
 *
 * The master passes ECMs from streams to softcams and control words back, so
 * that a stream never has a login, and a softcam never has a packet.
 */
#pragma once

#include "proto/ipc/msg_deliver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Bytes of an ECM or EMM: a body of newcamd, and its section header. */
	MSG_CAM_SECTION_MAX = 960 + 3,
	/* The classes of answer times: up to 50, 100, 200, 400, 800, 1600, 3200
	 * milliseconds, and longer. */
	MSG_CAM_TIMES = 8,
};

struct msg_softcam_test {
	const char *host;
	unsigned port;
	const char *user, *password;
	const char *key; /* hexadecimal digits; other texts: the usual key */
};

struct msg_softcam_start {
	const char *host;
	unsigned port;
	const char *user, *password;
	const char *key;
	unsigned timeout_ms; /* for a connection, a login and an answer */
};

struct msg_softcam_result {
	const char *error; /* NULL: the login succeeded */
	/* The card behind the server.  The texts are hexadecimal digits. */
	unsigned caid;
	bool au;     /* the server takes EMMs */
	char ua[17]; /* unique address */
	size_t n;
	struct msg_softcam_ident {
		char id[7];
		char sa[17]; /* shared address */
	} idents[MSG_IDENTS_MAX];
};

struct msg_softcam_status {
	bool up;            /* logged in */
	uint32_t ecm_rate;  /* ECMs that were sent in the last 60 seconds */
	uint32_t emm_rate;  /* EMMs */
	/* since the start */
	uint64_t hits;      /* answers from the cache */
	uint64_t misses;    /* ECMs that were sent to the server */
	uint64_t refused;   /* answers without a control word */
	uint64_t timeouts;  /* ECMs without an answer in time */
	size_t n_times;
	uint64_t times[MSG_CAM_TIMES]; /* answers by their time */
};

/* A section from a stream to a softcam. */
struct msg_cam_section {
	/* to the master: the softcam; to a softcam: the stream */
	const char *name;
	unsigned number;     /* of the request; of an EMM 0 */
	unsigned sid;        /* program number */
	unsigned caid;
	unsigned provider;
	const char *section; /* hexadecimal digits */
};

/* The answer to an ECM. */
struct msg_cam_word {
	/* to the master: the stream; to a stream: the softcam */
	const char *name;
	unsigned number;     /* of the request */
	const char *even, *odd; /* hexadecimal digits; "": not known */
	const char *error;   /* why there is none; "": there is one */
};

/* A softcam, for a stream that names it. */
struct msg_stream_cam {
	const char *softcam;
	const char *error;   /* why it is not logged in; "": it is */
	unsigned caid;       /* 0: not known */
	bool emm;            /* it takes EMMs */
	const char *ua;
	size_t n;
	struct msg_softcam_ident idents[MSG_IDENTS_MAX];
	unsigned timeout_ms;
	unsigned shift_ms;   /* of streams without a shift of their own */
	unsigned skip_ecm;   /* ECMs that a stream ignores at its start */
	bool ignore_cw;      /* the checksums of control words are not judged */
};
