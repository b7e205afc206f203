/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds packets in arbitrary bytes.
 *
 * Detects a packet distance of 188, 192 (a time stamp in front) or 204 bytes
 * (parity behind).  The output is always packets of 188 bytes that begin with
 * the sync byte.  Aligned 188-byte packets are not copied: a run points into
 * the caller's bytes.
 *
 * The lock begins when TS_SYNC_LOCK sync bytes follow at one distance, or when
 * a datagram consists of whole packets.  It ends when two packets in a row
 * begin with another byte.  After a single wrong sync byte only that packet is
 * dropped.
 *
 *	ts_sync_push(&sync, data, len);
 *	while (ts_sync_pull(&sync, &run))
 *		analyze_feed(analyze, run);
 *
 * Embedded; all its memory is in the struct.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* sync bytes in a row that begin the lock (ISO/IEC 13818-1 annex G) */
	TS_SYNC_LOCK = 5,
	TS_SYNC_BUFFER = 2048, /* bytes of buffer */
	TS_SYNC_BATCH = 7,     /* packets in batch */
};

enum ts_sync_mode {
	TS_SYNC_STREAM,   /* files, HTTP, tuners: bytes cut anywhere */
	TS_SYNC_DATAGRAM, /* each push is one datagram */
};

struct ts_sync {
	enum ts_sync_mode mode;
	size_t stride;         /* packet distance: 188, 192 or 204; 0: no lock,
				* the sync hunts for packets */
	const uint8_t *data;   /* pushed bytes that are not scanned yet */
	size_t len;            /* bytes at data */
	size_t skip;           /* bytes to skip up to the next packet */
	size_t head, tail;     /* bounds of the bytes in buffer */

	/* --- counted since init --- */
	uint32_t sync_losses;  /* times the lock was lost */
	uint32_t bad_sync;     /* packets dropped for a wrong sync byte */
	/* bytes dropped without a lock, or beside the packets of a datagram */
	uint64_t junk_bytes;

	/* bytes of earlier pushes that are not scanned yet */
	uint8_t buffer[TS_SYNC_BUFFER];
	/* packets that were copied because of bytes between them */
	uint8_t batch[TS_SYNC_BATCH * TS_PACKET];
};

void ts_sync_init(struct ts_sync *, enum ts_sync_mode);

/* To be called when the input was opened again: forgets the lock and the
 * buffered bytes, keeps the counters. */
void ts_sync_reset(struct ts_sync *);

/*
 * Takes len bytes (0 is allowed), which are borrowed until ts_sync_pull()
 * returns false.  Earlier bytes that were not pulled are dropped.
 */
void ts_sync_push(struct ts_sync *, const void *data, size_t len);

/*
 * Writes the next run (n > 0).  False: all pushed bytes were read.  The run is
 * valid until the next call on this object.
 */
bool ts_sync_pull(struct ts_sync *, struct ts_run *ret);
