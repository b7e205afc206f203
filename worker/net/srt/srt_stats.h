/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the statistics of libsrt to link statistics. */
#pragma once

#include "proto/spec/link_stat.h"
#include "worker/net/srt/srt_socket.h"

/* Clears the measurements, which belong to current connections only, and keeps
 * the counters.  To be called once a second, before srt_stats_add(). */
void srt_stats_begin(struct link_stats *);

/* Adds the counters of a connection since the last call, and its measurements.
 * With several connections, rates are added, and of every other measurement the
 * worst is reported. */
void srt_stats_add(struct link_stats *, SRTSOCKET, enum srt_direction);
