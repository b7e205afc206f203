/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/ring_out.h"

#include "common/base/alloc.h"
#include "common/base/ring.h"
#include "common/base/wall.h"
#include "worker/output/cc_rewrite.h"
#include "worker/output/start_point.h"
#include "worker/ts/pes.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	/* The tables are repeated several times in so many packets. */
	GO_ON_PACKETS = 20000,
	/* Nothing came for so long: what comes then begins anew. */
	PAUSE_MS = 1000,
};

struct ring_out {
	struct ring_writer *ring;
	const struct psi *psi;
	uint64_t now_ns;
	int64_t wall_ms;    /* of now_ns */
	uint64_t fed_ns;    /* the last packets */
	uint64_t marked_ns; /* the last random access point, or the start */
	uint64_t pcr;       /* the last of the main program */
	bool written;       /* something is not published yet */
	struct cc_rewrite cc;
	/* where the writer before this one had PMTs: theirs may come before
	 * the PAT that names their PID */
	uint8_t had_pmt[TS_PIDS / 8];
};

static bool begins_pmt(const uint8_t *packet)
{
	size_t at = ts_payload_offset(packet);

	if (!ts_pusi(packet) || at >= TS_PACKET)
		return false;
	at += 1U + packet[at];
	return at < TS_PACKET && packet[at] == PMT_TABLE_ID;
}

/* The counters go on where a writer before this one ended. */
static void go_on(struct ring_out *r)
{
	uint8_t seen[TS_PIDS / 8] = { 0 };
	size_t n;

	for (uint64_t back = 0; back < GO_ON_PACKETS * TS_PACKET;
	     back += n * TS_PACKET) {
		const uint8_t *p = ring_before(r->ring, back, &n);

		for (size_t i = n; i > 0; i--) {
			const uint8_t *packet = p + (i - 1) * TS_PACKET;
			uint16_t pid = ts_pid(packet);
			uint8_t bit = (uint8_t)(1U << pid % 8);

			if (begins_pmt(packet))
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

	if (ring == NULL)
		return NULL;

	struct ring_out *r = xcalloc(1, sizeof *r);

	r->ring = ring;
	r->psi = psi;
	go_on(r);
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

/* A packet of PAT or PMT. */
static void copy_table_packet(struct ring_out *r, const uint8_t *packet)
{
	uint8_t copy[TS_PACKET];

	memcpy(copy, packet, TS_PACKET);
	if (cc_rewrite_feed(&r->cc, copy))
		copy_packets(r, copy, 1);
}

static void put_tables(const uint8_t *packets, size_t n, void *arg)
{
	copy_packets(arg, packets, n);
}

static void mark(struct ring_out *r, const uint8_t *packet)
{
	struct ring_rap rap = {
		.pos = ring_writer_pos(r->ring),
		.pcr = r->pcr,
		.wall_ms = r->wall_ms,
	};

	(void)pes_pts(packet, &rap.pts);
	start_point_tables(r->psi, &r->cc, put_tables, r);
	ring_mark(r->ring, &rap);
	r->marked_ns = r->now_ns;
}

static bool is_table(const struct ring_out *r, uint16_t pid)
{
	enum pid_class class = psi_class(r->psi, pid);

	return class == PID_PSI ||
	       (class == PID_UNKNOWN &&
		r->had_pmt[pid / 8] & 1U << pid % 8);
}

/* What a packet of the stream means for the ring. */
enum place { PLACE_PLAIN, PLACE_TABLE, PLACE_START };

static enum place judge(struct ring_out *r, const uint8_t *packet,
			uint16_t main_pid)
{
	uint16_t pid = ts_pid(packet);
	const struct psi_program *main = psi_main_program(r->psi);

	if (main != NULL && pid == main->pcr_pid)
		(void)ts_pcr(packet, &r->pcr);
	if (is_table(r, pid))
		return PLACE_TABLE;
	return start_point_is(r->psi, packet, main_pid,
			      r->now_ns - r->marked_ns)
		       ? PLACE_START
		       : PLACE_PLAIN;
}

static void feed_run(struct ring_out *r, struct ts_run run)
{
	uint16_t main_pid = psi_main_pid(r->psi);
	size_t from = 0; /* judged, not yet copied */

	for (size_t i = 0; i < run.n; i++) {
		const uint8_t *packet = run.data + i * TS_PACKET;
		enum place place = judge(r, packet, main_pid);

		if (place == PLACE_PLAIN)
			continue;
		copy_packets(r, run.data + from * TS_PACKET, i - from);
		from = i;
		if (place == PLACE_TABLE) {
			copy_table_packet(r, packet);
			from = i + 1;
		} else {
			mark(r, packet);
		}
	}
	copy_packets(r, run.data + from * TS_PACKET, run.n - from);
}

/* Who waits for a picture waits for it while there is a stream. */
static void note_pause(struct ring_out *r, size_t n_runs, uint64_t now_ns)
{
	if (n_runs == 0)
		return;
	if (now_ns - r->fed_ns >= PAUSE_MS * UINT64_C(1000000))
		r->marked_ns = now_ns;
	r->fed_ns = now_ns;
}

void ring_out_feed(struct ring_out *r, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns)
{
	r->wall_ms = (int64_t)wall_ms();
	r->now_ns = now_ns;
	note_pause(r, n_runs, now_ns);
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
