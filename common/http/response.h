/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of an HTTP/1.1 answer, until they are sent. */
#pragma once

#include "common/base/buf.h"
#include "common/http/server.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

enum http_connection { HTTP_CLOSE, HTTP_KEEP_ALIVE };

/* Embedded; zeroed memory is empty. */
struct http_unsent {
	struct buf buf;
	/* The unsent bytes of a body that is not copied.  They follow buf. */
	const uint8_t *body;
	size_t len;
};

/* Appends the answer; head_only: for HEAD.  now: for the Date line. */
void http_unsent_write(struct http_unsent *, const struct http_answer *,
		       bool head_only, enum http_connection, time_t now);

/* The number of bytes that wait to be sent. */
size_t http_unsent_len(const struct http_unsent *);

/* Sends some of the waiting bytes.  Returns their number, 0 also when none
 * waits, or -errno. */
ssize_t http_unsent_send(struct http_unsent *, int fd);
