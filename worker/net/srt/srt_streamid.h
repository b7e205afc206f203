/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the stream id of an SRT caller: what it asks for, and as whom.
 *
 * "#!::r=NAME,u=LOGIN,s=PASSWORD" is the access control syntax of SRT: r names
 * the resource, u and s are login and password, s without u is a token, as is
 * token=TOKEN.  h is the host, m has to be request, t has to be stream; other
 * keys are ignored.
 *
 * Without "#!::" it is one of NAME, LOGIN:PASSWORD, token=TOKEN,
 * auth=LOGIN:PASSWORD, and NAME?token=TOKEN; what follows "?" or begins with
 * token= or auth= is a query as in the address of an HTTP viewer.
 *
 * Pure: reads the text of a caller, which is hostile.
 */
#pragma once

#include "proto/spec/srt_spec.h"

#include <stdbool.h>

enum {
	/* every byte of a credential may be escaped */
	SRT_QUERY_MAX = 3 * SRT_STREAMID_MAX + 8,
};

struct srt_request {
	char host[SRT_STREAMID_MAX + 1];
	char path[SRT_STREAMID_MAX + 1]; /* name of the resource; "": none */
	char query[SRT_QUERY_MAX + 1];   /* the credential; "": none */
};

enum srt_request_error {
	SRT_REQUEST_OK,
	SRT_REQUEST_MALFORMED,
	SRT_REQUEST_MODE, /* it wants to send, or a file */
};

enum srt_request_error srt_streamid_read(const char *streamid,
					 struct srt_request *ret);

/* Is this resource the whole stream id, or the one that it asks for? */
bool srt_streamid_names(const char *streamid, const char *resource);
