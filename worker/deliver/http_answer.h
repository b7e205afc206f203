/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heads of the HTTP responses for viewers.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { HTTP_ANSWER_MAX = 512 };

/* Each writes at most HTTP_ANSWER_MAX bytes and returns the length. */

/* 200 for a body of TS packets that ends with the connection. */
size_t http_answer_stream(char *text, time_t now);

/* An error with a body of one line, or with the head only. */
size_t http_answer_error(char *text, unsigned status, bool head_only,
		      time_t now);
