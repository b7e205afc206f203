/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls to an SRT listener: limits their rate and finds those that failed.
 *
 * libsrt reports each call and each connection, but no failed call; only the
 * state of its socket shows that it failed.  libsrt's thread adds the calls,
 * and the worker's thread checks them.
 */
#pragma once

#include "common/base/sockaddr.h"

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	/* Limits for calls in one second, in total and for one host: a call
	 * occupies half a megabyte of libsrt's memory for several seconds. */
	SRT_CALLS_MAX = 128,
	SRT_CALLS_OF_HOST_MAX = 40,
};

struct srt_calls;

struct srt_calls *srt_calls_new(void);
/* NULL-safe; sets *c to NULL.  The listener must be closed before. */
void srt_calls_free(struct srt_calls **);

/* May libsrt answer a call from this address now?  Counts the call if so.  May
 * be called from any thread. */
bool srt_calls_admit(struct srt_calls *, const struct sockaddr *from,
		     uint64_t now_ms);

/* Adds a call and its socket.  May be called from any thread.  refused: why
 * Sluice refuses the call; NULL: it does not. */
void srt_calls_add(struct srt_calls *, SRTSOCKET, const struct sockaddr *from,
		   const char *refused);

/* Removes the call from this address, because it has succeeded. */
void srt_calls_connected(struct srt_calls *, const struct sockaddr_any *from);

/* Removes one failed call and returns its address and the reason; false: no
 * call has failed.  All connections must have been accepted before. */
bool srt_calls_take_failed(struct srt_calls *, struct sockaddr_any *ret_from,
			   const char **ret_error);
