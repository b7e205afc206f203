/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens certificate and key in a helper thread, because a mount may not answer.
 *
 * A request that is cancelled leaves its thread behind until the mount answers;
 * the number of threads is limited.  Owns the requests; borrows the loop.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/supervise/pem_source.h"

enum { PEM_THREADS_MAX = 16 };

struct ev_loop;
struct pem_opener;
struct pem_opening;

struct pem_opener *pem_opener_new(struct ev_loop *);
/* NULL-safe; sets *o to NULL.  Cancels all requests. */
void pem_opener_free(struct pem_opener **o);

/* From the loop: 0 and the open pair, whose descriptors belong to the callee,
 * or the result of pem_pair_open(). */
typedef void pem_opened_fn(int result, const struct pem_pair *take,
			   const struct errmsg *error, void *arg);

/* NULL when too many threads wait for a mount.  done is not called inside. */
struct pem_opening *pem_opening_new(struct pem_opener *, const char *chain,
				    const char *key, pem_opened_fn *done,
				    void *arg);
/* NULL-safe; sets *p to NULL. */
void pem_opening_cancel(struct pem_opening **p);
