/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes aligned packets of arbitrary bytes.
 *
 * Finds out by itself whether packets come every 188, 192 (with a time stamp
 * in front) or 204 (with parity behind) bytes; what it hands out are always
 * 188-byte packets that begin with the sync byte.  Aligned 188-byte packets
 * are not copied: a run points into the caller's bytes.
 *
 * Sync is found when TS_SYNC_LOCK sync bytes follow at one distance, or when
 * a whole datagram is consistent; it is lost when two packets in a row begin
 * with something else.  One wrong sync byte between good ones costs just that
 * packet.
 *
 *	ts_sync_push(&sync, data, len);
 *	while (ts_sync_pull(&sync, &run))
 *		analyze_feed(analyze, run);
 *
 * Embedded, owns no memory elsewhere.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	TS_SYNC_LOCK = 5, /* ISO/IEC 13818-1 annex G */
	TS_SYNC_BUFFER = 2048,
	TS_SYNC_BATCH = 7,
};

enum ts_sync_mode {
	TS_SYNC_STREAM,   /* bytes cut anywhere: files, HTTP, tuners */
	TS_SYNC_DATAGRAM, /* each push is one datagram */
};

struct ts_sync {
	enum ts_sync_mode mode;
	size_t stride;         /* 188, 192 or 204; 0 while hunting */
	const uint8_t *data;   /* pushed, not yet looked at */
	size_t len;
	size_t skip;           /* bytes between two packets still to pass */
	size_t head, tail;     /* what buffer holds */

	/* since init */
	uint32_t sync_losses;  /* times the lock was lost */
	uint32_t bad_sync;     /* packets dropped for their sync byte */
	uint64_t junk_bytes;   /* passed over while hunting */

	uint8_t buffer[TS_SYNC_BUFFER];
	uint8_t batch[TS_SYNC_BATCH * TS_PACKET];
};

void ts_sync_init(struct ts_sync *, enum ts_sync_mode);

/* Forgets the lock and what it holds, keeps the counters: after the input
 * was opened again. */
void ts_sync_reset(struct ts_sync *);

/*
 * Takes len bytes (0 is fine).  Borrowed until ts_sync_pull() returned false;
 * what was pushed before and not pulled is dropped.
 */
void ts_sync_push(struct ts_sync *, const void *data, size_t len);

/*
 * The next run (n > 0), or false when the pushed bytes are used up.  A run is
 * valid until the next call on this object.
 */
bool ts_sync_pull(struct ts_sync *, struct ts_run *ret);
