/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a stream worker leaves to the next one: where the stream is, in memory
 * that the master keeps.
 *
 * Flat, and written in place as the stream goes out, so that it is right
 * whenever the worker ends.  It is another process's, and may be damaged:
 * every part is judged before it is believed.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/rtp/datagrams.h"
#include "worker/remux/si_versions.h"
#include "worker/remux/table_versions.h"
#include "worker/splice/continuity.h"
#include "worker/ts/packet.h"

#include <stdbool.h>

enum { STREAM_WAITING_MAX = 128 /* packets */ };

struct stream_memory {
	uint64_t magic;
	uint32_t version; /* of this layout */
	uint32_t size;
	/* what waits to be sent to the network, after each turn */
	uint32_t n_waiting;
	uint32_t reserved;
	struct splice_continuity splice; /* its first page is this one */
	struct table_versions tables;
	struct si_versions si;
	struct rtp_state outputs[MSG_OUTPUTS_MAX];
	uint8_t waiting[STREAM_WAITING_MAX * TS_PACKET];
};

/*
 * The memory behind fd (not taken); without one (-1), or when it cannot be
 * mapped (*ret_err = -errno, else 0), memory that ends with this process.
 * Never NULL.  Whatever is not sound in it begins anew.
 */
struct stream_memory *stream_memory_open(int fd, uint64_t now_ns,
					 int *ret_err);
/* What waits, as another worker left it; n is 0 when that was too much. */
struct ts_run stream_memory_waiting(const struct stream_memory *);
void stream_memory_set_waiting(struct stream_memory *, struct ts_run);

void stream_memory_close(struct stream_memory **);
