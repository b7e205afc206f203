/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the bytes of an HTTP/1.1 answer. */
#pragma once

#include "common/base/buf.h"
#include "common/http/server.h"

#include <stdbool.h>
#include <time.h>

enum http_connection { HTTP_CLOSE, HTTP_KEEP_ALIVE };

/* Appends the answer; head_only: for HEAD.  now: for the Date line. */
void http_response_write(struct buf *out, const struct http_answer *,
			 bool head_only, enum http_connection, time_t now);
