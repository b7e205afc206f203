/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts libsrt's statistics to link statistics. */
#pragma once

#include "proto/spec/link_stat.h"
#include "worker/net/srt/srt_socket.h"

/* Call once a second before srt_stats_add(): clears the measurements, which
 * only live connections have. */
void srt_stats_begin(struct link_stats *);

/* Adds the counters of a connection since the last call.  Of several
 * connections the rates are added, and the worst of each other measurement is
 * reported. */
void srt_stats_add(struct link_stats *, SRTSOCKET, enum srt_direction);
