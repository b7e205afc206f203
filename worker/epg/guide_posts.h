/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Posts documents of the guide to the servers of exports.
 *
 * In sluice-worker-net only: the functions are NULL in other programs.
 * Owns the transfers and their memory; borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg_epg.h"

#include <stddef.h>
#include <stdint.h>

struct ev_loop;
struct guide_posts;

enum { GUIDE_POST_LIMIT_S = 600 };

/* The end of the post with this seq.  error: "": the server has taken it. */
typedef void guide_posted_fn(uint32_t seq, const char *error, void *arg);

#define ONLY_NET __attribute__((weak))

/* addresses: borrowed for the call. */
ONLY_NET struct guide_posts *guide_posts_new(struct ev_loop *,
					     const char *const *addresses,
					     size_t n, guide_posted_fn *,
					     void *arg);
/* NULL-safe; sets *p to NULL. */
ONLY_NET void guide_posts_free(struct guide_posts **p);

/* fd is taken.  posted is called once, inside or later; a former post to the
 * same server ends without a call. */
ONLY_NET void guide_posts_begin(struct guide_posts *,
				const struct msg_epg_post *, uint32_t seq,
				int fd);
