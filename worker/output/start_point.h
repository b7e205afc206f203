/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where one may begin to receive a stream: a random access point, with the
 * tables in front of it.
 *
 * Without a picture to begin with, an audio frame will do; without anything
 * known, whatever begins, and in the end any packet.
 *
 * Pure.
 */
#pragma once

#include "common/base/units.h"
#include "worker/output/cc_rewrite.h"
#include "worker/ts/psi.h"
#include "worker/ts/rap.h"

enum {
	/* Audio frames are all random access points: these are enough. */
	START_POINT_AUDIO_MS = 500,
	/* Nothing to begin with for so long: any PES will do, and after twice
	 * the time any packet. */
	START_POINT_PATIENCE_MS = 2000,
};

/* Is one at packet?  waited_ns: since the last one, or since one is looked
 * for. */
static inline bool start_point_is(const struct psi *psi, const uint8_t *packet,
				  uint16_t main_pid, uint64_t waited_ns)
{
	uint16_t pid = ts_pid(packet);
	enum pid_class class = psi_class(psi, pid);

	if (pid == main_pid && ts_pusi(packet) &&
	    (class != PID_AUDIO || waited_ns >= START_POINT_AUDIO_MS * MS) &&
	    rap_is_start(packet, psi_stream_type(psi, pid), class))
		return true;
	if (waited_ns < START_POINT_PATIENCE_MS * MS)
		return false;
	return waited_ns >= 2 * START_POINT_PATIENCE_MS * MS ||
	       (ts_pusi(packet) && class != PID_PSI);
}

typedef void start_point_put_fn(const uint8_t *packets, size_t n, void *arg);

/* PAT and PMTs as they are known, in packets that are counted by cc. */
void start_point_tables(const struct psi *, struct cc_rewrite *cc,
			start_point_put_fn *put, void *arg);
