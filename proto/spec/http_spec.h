/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of HTTP clients: http:// and https:// inputs, np:// outputs. */
#pragma once

#include "common/base/address.h"

#include <stdbool.h>

enum {
	HTTP_UA_MAX = 127,
	HTTP_HEADER_BYTES_MAX = 511,
	HTTP_CA_MAX = 511,
	HTTP_AUDIO_MAX = 63,
	HTTP_TIMEOUT_DEFAULT_S = 10,
	HTTP_BUFFER_DEFAULT_S = 3,
	HTTP_BUFFER_DEFAULT_KIB = 16 * 1024,
};

enum http_follow { FOLLOW_PUBLIC, FOLLOW_ANY };

struct http_spec {
	char url[ADDRESS_TEXT_MAX + 16];
	char user_agent[HTTP_UA_MAX + 1];    /* "": the default */
	char headers[HTTP_HEADER_BYTES_MAX + 1];  /* "Name: value\n" each */
	unsigned timeout_s;
	unsigned buffer_time_s;  /* sent so much later than received */
	unsigned buffer_size_kib;
	bool no_sync;            /* as received, not at the pace of its PCR */
	enum http_follow follow; /* of playlists and redirects */
	bool insecure;           /* accept any certificate */
	char ca[HTTP_CA_MAX + 1]; /* trusted certificates; "" = the system's */
	unsigned bandwidth;      /* bit/s, of a variant of HLS; 0 = any */
	char audio[HTTP_AUDIO_MAX + 1]; /* language or name of the audio of
					   HLS; "" = the default one */
};
