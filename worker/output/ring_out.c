/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/ring_out.h"

#include "common/base/alloc.h"
#include "common/base/ring.h"
#include "common/base/wall.h"
#include "worker/output/cc_rewrite.h"
#include "worker/output/join_point.h"
#include "worker/ts/pes.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	/* A number of packets that contains every table several times. */
	RESUME_PACKETS = 20000,
	/* A longer pause restarts the search for a join point. */
	PAUSE_MS = 1000,
};

struct ring_out {
	struct ring_writer *ring;
	const struct psi *psi;
	uint64_t now_ns;
	int64_t wall_ms;    /* wall clock at now_ns */
	uint64_t fed_ns;    /* time of the last packets */
	uint64_t marked_ns; /* time of the last mark, or of the start */
	uint64_t pcr;       /* the last PCR of the main program */
	bool written;       /* packets are not published yet */
	struct cc_rewrite cc;
	/* PIDs of the PMTs of the previous writer: PMTs may arrive before the
	 * PAT that names their PID */
	uint8_t had_pmt[TS_PIDS / 8];
};

static bool is_pmt_start(const uint8_t *packet)
{
	size_t at = ts_payload_offset(packet);

	if (!ts_pusi(packet) || at >= TS_PACKET)
		return false;
	at += 1U + packet[at];
	return at < TS_PACKET && packet[at] == PMT_TABLE_ID;
}

/* Continues the counters of the previous writer. */
static void resume_counters(struct ring_out *r)
{
	uint8_t seen[TS_PIDS / 8] = { 0 };
	size_t n;

	for (uint64_t back = 0; back < RESUME_PACKETS * TS_PACKET;
	     back += n * TS_PACKET) {
		const uint8_t *p = ring_before(r->ring, back, &n);

		for (size_t i = n; i > 0; i--) {
			const uint8_t *packet = p + (i - 1) * TS_PACKET;
			uint16_t pid = ts_pid(packet);
			uint8_t bit = (uint8_t)(1U << pid % 8);

			if (is_pmt_start(packet))
				r->had_pmt[pid / 8] |= bit;
			if (seen[pid / 8] & bit || !ts_has_payload(packet))
				continue;
			seen[pid / 8] |= bit;
			*cc_rewrite_next(&r->cc, pid) = (uint8_t)(
				(ts_cc(packet) + 1) & 0x0f);
		}
		if (n == 0)
			return;
	}
}

struct ring_out *ring_out_new(int fd, const struct psi *psi, int *ret_err)
{
	struct ring_writer *ring = ring_writer_new(fd, ret_err);
	struct ring_out *r;

	if (ring == NULL)
		return NULL;
	r = xcalloc(1, sizeof *r);
	r->ring = ring;
	r->psi = psi;
	resume_counters(r);
	return r;
}

void ring_out_free(struct ring_out **r)
{
	if (*r != NULL)
		ring_writer_free(&(*r)->ring);
	free(*r);
	*r = NULL;
}

static void copy_packets(struct ring_out *r, const uint8_t *packets, size_t n)
{
	while (n > 0) {
		size_t room;
		uint8_t *to = ring_room(r->ring, &room);
		size_t now = MIN(room, n);

		memcpy(to, packets, now * TS_PACKET);
		ring_commit(r->ring, now);
		packets += now * TS_PACKET;
		n -= now;
		r->written = true;
	}
}

static void put_tables(const uint8_t *packets, size_t n, void *arg)
{
	copy_packets(arg, packets, n);
}

enum packet_class { PACKET_PLAIN, PACKET_TABLE, PACKET_JOIN };

static enum packet_class classify(struct ring_out *r, const uint8_t *packet,
			uint16_t main_pid)
{
	uint16_t pid = ts_pid(packet);
	enum pid_class class = psi_class(r->psi, pid);
	const struct psi_program *main = psi_main_program(r->psi);

	if (main != NULL && pid == main->pcr_pid)
		(void)ts_pcr(packet, &r->pcr);
	if (class == PID_PSI || (class == PID_UNKNOWN &&
				 r->had_pmt[pid / 8] & 1U << pid % 8))
		return PACKET_TABLE;
	return join_point_is(r->psi, packet, main_pid,
			     r->now_ns - r->marked_ns)
		       ? PACKET_JOIN
		       : PACKET_PLAIN;
}

static void feed_run(struct ring_out *r, struct ts_run run)
{
	uint16_t main_pid = psi_main_pid(r->psi);
	size_t from = 0; /* the first packet not yet copied */

	for (size_t i = 0; i < run.n; i++) {
		const uint8_t *packet = run.data + i * TS_PACKET;
		enum packet_class class = classify(r, packet, main_pid);

		if (class == PACKET_PLAIN)
			continue;
		copy_packets(r, run.data + from * TS_PACKET, i - from);
		from = i;
		if (class == PACKET_TABLE) {
			uint8_t copy[TS_PACKET];

			memcpy(copy, packet, TS_PACKET);
			if (cc_rewrite_feed(&r->cc, copy))
				copy_packets(r, copy, 1);
			from = i + 1;
		} else {
			struct ring_rap rap = {
				.pos = ring_writer_pos(r->ring),
				.pcr = r->pcr,
				.wall_ms = r->wall_ms,
			};

			(void)pes_pts(packet, &rap.pts);
			join_point_tables(r->psi, &r->cc, put_tables, r);
			ring_mark(r->ring, &rap);
			r->marked_ns = r->now_ns;
		}
	}
	copy_packets(r, run.data + from * TS_PACKET, run.n - from);
}

void ring_out_feed(struct ring_out *r, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns)
{
	r->wall_ms = (int64_t)wall_ms();
	r->now_ns = now_ns;
	if (n_runs > 0) {
		if (now_ns - r->fed_ns >= PAUSE_MS * UINT64_C(1000000))
			r->marked_ns = now_ns;
		r->fed_ns = now_ns;
	}
	for (size_t i = 0; i < n_runs; i++)
		feed_run(r, runs[i]);
}

void ring_out_publish(struct ring_out *r)
{
	if (!r->written)
		return;
	ring_publish(r->ring);
	r->written = false;
}
