/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heads of the responses that viewers get.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { ANSWER_MAX = 512 };

/* Each writes the text into ANSWER_MAX bytes and returns its length. */

/* 200 for an endless body of TS packets: no length, ends with the
 * connection. */
size_t answer_stream(char *text, time_t now);

/* A refusal with a one-line body, which head_only leaves out. */
size_t answer_refusal(char *text, unsigned status, bool head_only,
		      time_t now);
