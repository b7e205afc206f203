/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with bytes that never change: ranges, conditions, and headers for
 * caches. */
#pragma once

#include "proto/wire/http_request.h"

#include <stdbool.h>
#include <stdint.h>

struct blob;
struct mount;
struct viewer_conn;

/* The response headers that pages of other origins may read. */
#define HLS_CORS_EXPOSE \
	"Access-Control-Expose-Headers: Content-Range, Date, ETag\r\n"

struct hls_content {
	struct mount *mount; /* the bytes from start on of the ring of this
			      * mount; NULL: blob */
	uint64_t start;
	struct blob *blob;   /* the bytes, if mount is NULL; NULL: none */
	uint64_t len;
	const char *type, *tag;
	int64_t wall_ms;     /* time of creation: the Last-Modified header */
	unsigned age_s;      /* how long a client may cache it (max-age) */
};

void hls_content_send(struct viewer_conn *, const struct http_request *,
		      const struct hls_content *);

/* Does the client have a copy with this tag (If-None-Match), or else with this
 * date (If-Modified-Since; NULL: none)? */
bool hls_content_is_known(const struct http_request *, const char *tag,
			  const char *modified);

/* "private, " for Cache-Control (RFC 9111 5.2.2.7) if the request has the token
 * of a preview.  The master adds this token, so the address that a cache knows
 * has no credential.  "" for other requests. */
const char *hls_content_privacy(const struct http_request *);
