/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts and the PTS of each PID with packets.
 *
 * Owns a table of the PIDs in use.  PIDs beyond PID_STATS_MAX have no record;
 * their packets only count in the sums of the stream.
 */
#pragma once

#include "worker/ts/packet.h"

enum { PID_STATS_MAX = 512 };

/* Reasons to check also the packets of a PID that begin no unit. */
enum pid_follow {
	PID_BUFFER = 0x01, /* its buffers are checked */
	PID_HEADER = 0x02, /* its last PES header is not complete yet */
};

struct pid_stats {
	/* each packet touches the first members: half a cache line */
	uint16_t pid;
	uint16_t cc;                   /* see cc_step() */
	uint8_t class;                 /* enum pid_class in the tables */
	bool has_pts;
	uint8_t follows;               /* bits of enum pid_follow */
	uint32_t packets;              /* packets in the current second */
	uint64_t first_ns, last_ns;    /* arrival of the first and of the last
					* packet; last_ns: or the end of a
					* silence of all PIDs since then */
	uint32_t scrambled;            /* scrambled in the current second */
	uint32_t pes_errors_before;    /* pes_errors before this second */
	uint64_t pts, pts_ns;          /* the last PTS, and its arrival */
	uint64_t pts_moved_ns;         /* arrival of the last change of pts */
	uint64_t table_ns;             /* arrival of the last packet in which a
					* section of a PAT or PMT began; 0:
					* none */
	uint64_t pts_gap_ns;           /* longest time between two PTS in the
					* current second */
	/* transport buffer (tstd.h): leak: bytes by which it empties in the
	 * duration of a packet of the multiplex, 0: not checked; level: its
	 * fill in bytes */
	float leak, level;
	/* from the level of video or the frames of audio: unit_bps: the rate at
	 * which the transport buffer empties, bit/s; unit_bytes: the size of
	 * the buffers behind it.  0: unknown */
	uint32_t unit_bps, unit_bytes;
	uint32_t frame_ticks;          /* duration of an audio frame, 27 MHz */
	uint64_t level_at;             /* number of the packet at which level
					* was set */
	struct unit_buffer *units;     /* the buffers of video or audio behind
					* the transport buffer; NULL: not
					* checked */
	/* for a PMT: the fill of the system buffer, in bytes, and the number of
	 * the packet at which it was set */
	float system;
	uint64_t system_at;
	uint16_t section_left;         /* bytes of the last section that have
					* not arrived */
	uint8_t clock;                 /* 1 + index of its PCR PID in the pcrs
					* of the monitor; 0: none */
	/* values of the last whole second */
	uint32_t last_packets;
	uint64_t last_pts_gap_ns;
	/* totals; all_packets and all_scrambled without this second */
	uint64_t all_packets;
	uint64_t all_scrambled;
	uint64_t pts_count;
	uint32_t cc_errors;
	uint32_t duplicates;
	uint32_t overflows;            /* of the transport buffer */
	uint32_t unit_errors;          /* units and tables that overflow a
					* buffer behind the transport buffer,
					* and units that arrive after their
					* DTS */
	uint32_t transport_errors;
	uint32_t pes_errors;           /* units without a PES start code */
};

struct pid_table {
	size_t n;
	uint16_t index[TS_PIDS]; /* 1 + index in list; 0: no record */
	struct pid_stats list[PID_STATS_MAX];
};

/* The record of a PID; NULL: it has none. */
static inline struct pid_stats *pid_table_find(struct pid_table *t,
					       uint16_t pid)
{
	return t->index[pid] != 0 ? &t->list[t->index[pid] - 1] : NULL;
}

/* Adds a record for a PID that has none; NULL: the table is full. */
static inline struct pid_stats *pid_table_add(struct pid_table *t,
					      uint16_t pid)
{
	if (t->n == PID_STATS_MAX)
		return NULL;
	t->list[t->n] = (struct pid_stats){ .pid = pid };
	t->index[pid] = (uint16_t)++t->n;
	return &t->list[t->n - 1];
}
