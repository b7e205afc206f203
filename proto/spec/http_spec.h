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
	/* headers of requests, each as "Name: value\n" */
	char headers[HTTP_HEADER_BYTES_MAX + 1];
	/* the connection fails after this time without data */
	unsigned timeout_s;
	unsigned buffer_time_s;  /* delay between receiving and sending */
	unsigned buffer_size_kib;
	bool no_sync;            /* packets are sent as received, and not at
				  * the times of the PCR */
	enum http_follow follow; /* where playlists and redirects may lead */
	bool insecure;           /* accept any certificate */
	char ca[HTTP_CA_MAX + 1]; /* file of the trusted certificates; "": those
				   * of the system */
	unsigned bandwidth;      /* highest bandwidth of an HLS variant, bit/s;
				  * 0: any */
	char audio[HTTP_AUDIO_MAX + 1]; /* language or name of the HLS audio
					 * rendition; "": the default one */
};
