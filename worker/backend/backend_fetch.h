/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends one request to the authorization backend, with libcurl.
 *
 * Redirects to http and https are followed.  The head is the answer: a body
 * that is long or slow ends the transfer and changes nothing.  The owner lets
 * the multi handle work and calls backend_fetch_end() when libcurl has finished
 * the transfer or backend_fetch_is_answered().
 */
#pragma once

#include "proto/ipc/msg.h"

#include <curl/curl.h>

enum {
	BACKEND_FETCH_MS = 3000,
	BACKEND_REDIRECTS_MAX = 5,
	/* bytes of the heads and bodies of all answers */
	BACKEND_HEADERS_MAX = 32 * 1024,
};

struct backend_fetch;

/* Starts a request.  NULL: libcurl cannot make it. */
struct backend_fetch *backend_fetch_new(CURLM *, uint32_t seq,
					const struct msg_backend_ask *);
/* NULL-safe; sets *f to NULL. */
void backend_fetch_free(struct backend_fetch **);

uint32_t backend_fetch_seq(const struct backend_fetch *);

/* To be called every 5 ms.  True: the head of the answer was complete ten calls
 * ago, so the owner ends the transfer. */
bool backend_fetch_is_answered(struct backend_fetch *);

/* Writes the result of a transfer that finished with this code, or whose head
 * is complete: then the code is ignored.  Without an answer, status is 0 and
 * error is set.  The texts are valid until backend_fetch_free(). */
void backend_fetch_end(struct backend_fetch *, CURLcode,
		       struct msg_backend_result *ret);
