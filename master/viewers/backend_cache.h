/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembers the decisions of the authorization backend about a credential, an
 * address and a stream.
 *
 * A decision is fresh until its end, and kept for BACKEND_STALE_MS more, for
 * the time in which the backend does not answer.  Keys are keyed hashes.  Above
 * BACKEND_CACHE_MAX the oldest decision is dropped.  Pure: the caller passes
 * the monotonic time.
 */
#pragma once

#include "common/account/secret.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	BACKEND_CACHE_MAX = 16384,
	BACKEND_STALE_MS = 3600 * 1000,
	/* durations of answers that name none */
	BACKEND_ALLOW_S = 180,
	BACKEND_DENY_S = 10,
	BACKEND_DURATION_MAX_S = 24 * 3600,
};

struct backend_cache;

struct backend_verdict {
	bool allowed;
	const char *login;    /* "": none */
	const char *user;     /* shares the limit; "": none */
	const char *location; /* "": no redirect */
	unsigned max_sessions; /* 0: any number */
	uint32_t duration_s;   /* it is fresh for so long */
	uint64_t fresh_until_ms;
};

/* The decision in an answer; texts are borrowed from it.  -EREMOTEIO with
 * error: the backend has not decided. */
int backend_verdict_read(const struct msg_backend_result *, uint64_t now_ms,
			 struct backend_verdict *ret,
			 struct errmsg *error) MUST_CHECK;

struct backend_cache *backend_cache_new(void);
/* NULL-safe; sets *c to NULL. */
void backend_cache_free(struct backend_cache **);
void backend_cache_clear(struct backend_cache *);

/* The key of n texts, in their order. */
struct digest backend_cache_key(const struct backend_cache *,
				const char *const *texts, size_t n);

/* Copied. */
void backend_cache_put(struct backend_cache *, const struct digest *key,
		       const struct backend_verdict *);

/* NULL: none, or too old.  The caller compares fresh_until_ms.  Borrowed until
 * the next change. */
const struct backend_verdict *
backend_cache_find(struct backend_cache *, const struct digest *key,
		   uint64_t now_ms);
