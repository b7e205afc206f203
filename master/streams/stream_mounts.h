/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mounts of one stream: one for each of its http outputs.
 *
 * Embedded; zeroed memory has none.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stddef.h>

struct deliver_proc;
struct stream_proc_info;
struct mount;
struct plan_http;

struct stream_mounts {
	size_t n;
	struct {
		unsigned position; /* the output's, from 1 */
		struct mount *mount;
	} of[MSG_OUTPUTS_MAX];
};

struct stream_mounts_config {
	const char *stream; /* its id; borrowed, outlives the mounts */
	int ring_fd;        /* read-only; borrowed, outlives the mounts */
	const struct plan_http *outputs; /* only for the call */
	size_t n;           /* at most MSG_OUTPUTS_MAX */
};

/* Replaces all mounts.  A mount that stays keeps its viewers, and a listener
 * that an old and a new mount use stays open. */
void stream_mounts_set(struct stream_mounts *, struct deliver_proc *,
		       const struct stream_mounts_config *);

/* Serves all mounts from another ring; ring_fd as above. */
void stream_mounts_ring(struct stream_mounts *, int ring_fd);

/* Adds the viewers, the disconnected ones and the errors of each output. */
void stream_mounts_get(const struct stream_mounts *,
		       struct stream_proc_info *ret);
