/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of libsrt as numbers of a link. */
#pragma once

#include "proto/spec/link_stat.h"
#include "worker/net/srt/srt_socket.h"

/* Once a second, before the first connection: what is measured is known only
 * of connections that stand. */
void srt_stats_begin(struct link_stats *);

/* Adds what this connection counted since the last call; of several the worst
 * measures are told. */
void srt_stats_add(struct link_stats *, SRTSOCKET, enum srt_direction);
