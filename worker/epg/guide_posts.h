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

/* Called at the end of the post with this seq.  error: "": the server has
 * accepted it. */
typedef void guide_posted_fn(uint32_t seq, const char *error, void *arg);

#define ONLY_NET __attribute__((weak))

/* addresses: of the servers, borrowed for the call. */
ONLY_NET struct guide_posts *guide_posts_new(struct ev_loop *,
					     const char *const *addresses,
					     size_t n, guide_posted_fn *,
					     void *arg);
/* NULL-safe; sets *p to NULL. */
ONLY_NET void guide_posts_free(struct guide_posts **p);

/* Posts the document in fd, which is taken.  Calls `posted' once, inside or
 * later.  Ends a running post to the same server without a call. */
ONLY_NET void guide_posts_begin(struct guide_posts *,
				const struct msg_epg_post *, uint32_t seq,
				int fd);
