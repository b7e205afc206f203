/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls to an SRT listener: how many may be answered, and which came to
 * nothing.  Of these the library does not tell, only that somebody calls and
 * that somebody is connected.
 *
 * Noted in a thread of the library, looked at in ours.
 */
#pragma once

#include "common/base/sockaddr.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	/* In one second: a call takes the library half a megabyte, for seconds
	 * after it is over. */
	SRT_CALLS_MAX = 128,
	SRT_CALLS_OF_HOST_MAX = 40,
};

struct srt_calls;

struct srt_calls *srt_calls_new(void);
/* NULL-safe; sets *c to NULL.  After the listener was closed. */
void srt_calls_free(struct srt_calls **);

/* From any thread.  Whether one more is to be answered. */
bool srt_calls_admit(struct srt_calls *, const struct sockaddr *from,
		     uint64_t now_ms);

/* From any thread.  Somebody calls, and is refused for a reason or not. */
void srt_calls_add(struct srt_calls *, const struct sockaddr *from,
		    const char *refused);

/* He is connected. */
void srt_calls_connected(struct srt_calls *, const struct sockaddr_any *from);

/* Takes one that came to nothing, and why; false: there is none. */
bool srt_calls_take_failed(struct srt_calls *, struct sockaddr_any *ret_from,
			   const char **ret_error);
