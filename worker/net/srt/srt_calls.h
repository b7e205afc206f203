/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls to an SRT listener: limits their rate and finds those that failed.
 *
 * libsrt reports an incoming call and a connection, but no failure: the state
 * of the socket shows it. Calls are added in libsrt's thread and evaluated in
 * the worker's.
 */
#pragma once

#include "common/base/sockaddr.h"

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	/* Calls in one second: a call takes half a megabyte of libsrt's memory
	 * for several seconds. */
	SRT_CALLS_MAX = 128,
	SRT_CALLS_OF_HOST_MAX = 40,
};

struct srt_calls;

struct srt_calls *srt_calls_new(void);
/* NULL-safe; sets *c to NULL. Close the listener before. */
void srt_calls_free(struct srt_calls **);

/* From any thread. True: libsrt may answer this call. */
bool srt_calls_admit(struct srt_calls *, const struct sockaddr *from,
		     uint64_t now_ms);

/* Adds a call, which has this socket; may be called from any thread.  refused:
 * the reason of a refusal, or NULL. */
void srt_calls_add(struct srt_calls *, SRTSOCKET, const struct sockaddr *from,
		   const char *refused);

/* Call it when a call has succeeded. */
void srt_calls_connected(struct srt_calls *, const struct sockaddr_any *from);

/* Removes a failed call and returns its reason; false: there is none. Accept
 * all connections before. */
bool srt_calls_take_failed(struct srt_calls *, struct sockaddr_any *ret_from,
			   const char **ret_error);
