/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends documents of the guide to the servers of exports, by HTTP POST.
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

enum { GUIDE_POST_LIMIT_S = 600 }; /* time limit of a post */

/* Called at the end of the post with this seq.  error "": the server has
 * accepted the document. */
typedef void guide_posted_fn(uint32_t seq, const char *error, void *arg);

#define ONLY_NET __attribute__((weak))

/* addresses: URLs of the servers, borrowed for the call. */
ONLY_NET struct guide_posts *guide_posts_new(struct ev_loop *,
					     const char *const *addresses,
					     size_t n, guide_posted_fn *,
					     void *arg);
/* NULL-safe; sets *p to NULL. */
ONLY_NET void guide_posts_free(struct guide_posts **p);

/* Posts the document in fd, which is taken.  Calls the guide_posted_fn once,
 * before it returns or later.  Ends a running post to the same server, for
 * which the guide_posted_fn is not called. */
ONLY_NET void guide_posts_begin(struct guide_posts *,
				const struct msg_epg_post *, uint32_t seq,
				int fd);
