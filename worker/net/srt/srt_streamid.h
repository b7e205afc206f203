/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the stream id of an SRT caller: which resource it requests, and with
 * which credential.
 *
 * "#!::r=NAME,u=LOGIN,s=PASSWORD" is the access control syntax of SRT.  r is
 * the resource, u the login and s the password.  s without u is a token;
 * token=TOKEN is a token, too.  h is the host.  m must be request, and t must
 * be stream.  Other keys are ignored.
 *
 * Without "#!::", the stream id is NAME, LOGIN:PASSWORD, token=TOKEN,
 * auth=LOGIN:PASSWORD or NAME?token=TOKEN.  The part behind "?", or a stream id
 * that begins with token= or auth=, is a query as in the URL of an HTTP viewer.
 *
 * Pure.  The text is from an untrusted caller.
 */
#pragma once

#include "proto/spec/srt_spec.h"

#include <stdbool.h>

enum {
	/* every byte of a credential may be escaped as three bytes */
	SRT_QUERY_MAX = 3 * SRT_STREAMID_MAX + 8,
};

struct srt_request {
	char host[SRT_STREAMID_MAX + 1];
	/* name of the requested resource; "": none */
	char path[SRT_STREAMID_MAX + 1];
	/* query with the credential; "": none */
	char query[SRT_QUERY_MAX + 1];
};

enum srt_request_error {
	SRT_REQUEST_OK,
	SRT_REQUEST_MALFORMED,
	SRT_REQUEST_MODE, /* the caller wants to send, or requests a file */
};

enum srt_request_error srt_streamid_read(const char *streamid,
					 struct srt_request *ret);

/* Is this resource equal to the whole stream id, or to the resource that the
 * stream id requests? */
bool srt_streamid_names(const char *streamid, const char *resource);
