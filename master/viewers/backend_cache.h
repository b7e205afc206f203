/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stores the decisions of the authorization backend, each for a credential, an
 * address and a stream.
 *
 * A decision is fresh until fresh_until_ms.  It is kept for BACKEND_STALE_MS
 * more, for use while the backend does not answer.  Keys are keyed hashes.  If
 * there are BACKEND_CACHE_MAX decisions, a new one replaces the oldest.  Pure:
 * the caller passes the monotonic time.
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
	/* Seconds for which a permission (BACKEND_ALLOW_S) or a denial is fresh
	 * if the answer of the backend names no time. */
	BACKEND_ALLOW_S = 180,
	BACKEND_DENY_S = 10,
	BACKEND_DURATION_MAX_S = 24 * 3600,
};

struct backend_cache;

struct backend_verdict {
	bool allowed;
	const char *login;    /* "": none */
	/* viewers with the same user share max_sessions; "": viewers with the
	 * same login do */
	const char *user;
	const char *location; /* "": no redirect */
	unsigned max_sessions; /* limit of sessions; 0: none */
	uint32_t duration_s;   /* seconds for which the decision is fresh */
	uint64_t fresh_until_ms;
};

/* Reads the decision from an answer of the backend; its texts are borrowed
 * from the answer.  Returns 0 (status 200 permits, 4xx denies); -EREMOTEIO
 * with error: the backend did not decide. */
int backend_verdict_read(const struct msg_backend_result *, uint64_t now_ms,
			 struct backend_verdict *ret,
			 struct errmsg *error) MUST_CHECK;

struct backend_cache *backend_cache_new(void);
/* NULL-safe; sets *c to NULL. */
void backend_cache_free(struct backend_cache **);
void backend_cache_clear(struct backend_cache *);

/* Returns the key of n texts; their order matters. */
struct digest backend_cache_key(const struct backend_cache *,
				const char *const *texts, size_t n);

/* Stores a copy of the decision. */
void backend_cache_put(struct backend_cache *, const struct digest *key,
		       const struct backend_verdict *);

/* Returns the decision, borrowed until the next change; it may be stale, so the
 * caller compares fresh_until_ms.  NULL: there is none, or it is too old. */
const struct backend_verdict *
backend_cache_find(struct backend_cache *, const struct digest *key,
		   uint64_t now_ms);
