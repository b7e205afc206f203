/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/join_point.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/ts/psi_lead.h"
#include "worker/ts/section.h"

#include <stdlib.h>

struct join_search {
	struct psi *psi;
	struct rap rap;
	struct cc_rewrite cc; /* counters of the next packets */
	struct cc_rewrite cc_held; /* counters at the first held packet */
	uint64_t since_ns;    /* start of the search; 0: not started */
	uint64_t now_ns;
	uint64_t main_ns; /* time of the last packet of the main PID */
	struct fifo held;     /* the picture that is not decided, and all that
			       * follows it */
	join_point_put_fn *put;
	void *arg;
};

struct lead {
	struct cc_rewrite *cc;
	join_point_put_fn *put;
	void *arg;
};

uint16_t join_point_follow(struct rap *r, const struct psi *psi)
{
	uint16_t pid = psi_main_pid(psi);

	rap_follow(r, pid, psi_coding(psi, pid), psi_class(psi, pid));
	return pid;
}

/* True if the PMT lists a video of which no packet has arrived for
 * JOIN_POINT_TIMEOUT_MS. */
static bool is_silent(const struct rap *r, const struct join_wait *w)
{
	return r->class == PID_VIDEO &&
	       w->main_ns >= JOIN_POINT_TIMEOUT_MS * MS;
}

static uint64_t patience_ns(const struct rap *r, const struct join_wait *w)
{
	return (rap_is_shown(r) && !is_silent(r, w) ? JOIN_POINT_PATIENCE_MS
						    : JOIN_POINT_TIMEOUT_MS) *
	       MS;
}

bool join_point_may_guess(const struct rap *r, const struct join_wait *w)
{
	return w->rap_ns >= patience_ns(r, w);
}

/* True if a PES packet begins here.  silent: the video is not sent, so only
 * audio counts, if the PMT lists any. */
static bool is_start(const struct psi *psi, const uint8_t *packet, bool silent)
{
	enum pid_class class = psi_class(psi, ts_pid(packet));

	return ts_pusi(packet) &&
	       (silent && psi_audio_count(psi) > 0 ? class == PID_AUDIO
						   : class != PID_PSI);
}

bool join_point_is_guess(const struct rap *r, const struct psi *psi,
			 const uint8_t *packet, const struct join_wait *w)
{
	bool silent = is_silent(r, w);
	uint64_t guess_ns;

	if (!join_point_may_guess(r, w))
		return false;
	/* after a long patience the timeout is over too: count from the end of
	 * the patience, so that not any packet is the first guess */
	guess_ns = MIN(w->guess_ns, w->rap_ns - patience_ns(r, w) +
				    JOIN_POINT_TIMEOUT_MS * MS);
	if (ts_pid(packet) == r->pid && ts_pusi(packet) && rap_is_likely(r) &&
	    guess_ns >= JOIN_POINT_AUDIO_MS * MS)
		return true;
	if (guess_ns >= 2 * JOIN_POINT_TIMEOUT_MS * MS)
		return true;
	return guess_ns >= (silent ? JOIN_POINT_AUDIO_MS
				   : JOIN_POINT_TIMEOUT_MS) * MS &&
	       is_start(psi, packet, silent);
}

static void put_section(const struct psi_section *s, uint16_t pid, void *arg)
{
	const struct lead *l = arg;
	uint8_t packets[SECTION_PSI_PACKETS * TS_PACKET];

	l->put(packets, section_pack(s->data, s->len, pid,
				     cc_rewrite_next(l->cc, pid), packets),
	       l->arg);
}

void join_point_tables(const struct psi *psi, struct cc_rewrite *cc,
		       join_point_put_fn *put, void *arg)
{
	struct lead lead = { cc, put, arg };

	psi_lead(psi, put_section, &lead);
}

struct join_search *join_search_new(join_point_put_fn *put, void *arg)
{
	struct join_search *j = xcalloc(1, sizeof *j);

	j->psi = psi_new();
	j->put = put;
	j->arg = arg;
	j->held.max = JOIN_POINT_HELD_MAX;
	return j;
}

void join_search_free(struct join_search **ptr)
{
	if (*ptr != NULL) {
		psi_free(&(*ptr)->psi);
		fifo_done(&(*ptr)->held);
	}
	free(*ptr);
	*ptr = NULL;
}

static void read_table(struct join_search *j, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	if (psi_class(j->psi, pid) != PID_PSI)
		return;
	if (ts_has_payload(packet))
		*cc_rewrite_next(&j->cc, pid) =
			(uint8_t)((ts_cc(packet) + 1) & 0x0f);
	(void)psi_feed(j->psi, packet);
}

/* Returns what the packet says about a join point.  If it has a table, that
 * table is not read yet. */
static enum rap_sign look(struct join_search *j, const uint8_t *packet)
{
	if (ts_pid(packet) != join_point_follow(&j->rap, j->psi))
		return RAP_NONE;
	j->main_ns = j->now_ns;
	return join_point_feed(&j->rap, packet, j->now_ns - j->since_ns);
}

void join_search_skip(struct join_search *j, const struct ts_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		const uint8_t *packet = run->data + i * TS_PACKET;

		(void)look(j, packet);
		read_table(j, packet);
	}
}

static void ignore(const uint8_t *packets, size_t n, void *arg)
{
	(void)packets, (void)n, (void)arg;
}

/* Sends PAT and PMTs.  Their counters are chosen so that the packets behind
 * them continue at `end': a first pass counts the packets of the tables. */
static void put_tables(struct join_search *j, const struct cc_rewrite *end)
{
	struct cc_rewrite cc = *end;

	join_point_tables(j->psi, &cc, ignore, NULL);
	for (size_t pid = 0; pid < TS_PIDS; pid++)
		cc.out[pid] = (uint8_t)((2U * end->out[pid] + 16 -
					 cc.out[pid]) & 0x0f);
	join_point_tables(j->psi, &cc, j->put, j->arg);
}

/* Decides on the picture that begins the held packets.  joins: sends the tables
 * and the held packets; otherwise drops and counts them.  Returns joins. */
static bool settle(struct join_search *j, bool joins, uint64_t *dropped)
{
	struct ts_run held = fifo_run(&j->held);

	if (joins) {
		put_tables(j, &j->cc_held);
		j->put(held.data, held.n, j->arg);
	} else {
		*dropped += held.n;
	}
	fifo_drop(&j->held, held.n);
	return joins;
}

/* Takes a packet.  True: the join point is found, and all packets from it on
 * were sent. */
static bool take(struct join_search *j, const uint8_t *packet,
		 uint64_t *dropped)
{
	enum rap_sign sign = look(j, packet);
	const struct join_wait wait = {
		.rap_ns = j->now_ns - j->since_ns,
		.guess_ns = j->now_ns - j->since_ns,
		.main_ns = j->now_ns - j->main_ns,
	};
	bool waits = fifo_len(&j->held) > 0;
	bool full = fifo_len(&j->held) == JOIN_POINT_HELD_MAX;

	if (!waits && join_point_is_guess(&j->rap, j->psi, packet, &wait))
		sign = RAP_HERE;
	/* if no more packets can wait, the random_access_indicator decides */
	if (full && sign == RAP_NONE && j->rap.marked)
		sign = RAP_YES;
	if (waits && sign == RAP_YES && settle(j, true, dropped)) {
		j->put(packet, 1, j->arg);
		return true;
	}
	if (waits && (sign != RAP_NONE || full))
		(void)settle(j, false, dropped);
	if (sign == RAP_HERE) {
		put_tables(j, &j->cc);
		j->put(packet, 1, j->arg);
		return true;
	}
	if (sign == RAP_OPEN)
		j->cc_held = j->cc;
	if (sign == RAP_OPEN || fifo_len(&j->held) > 0)
		(void)fifo_push(&j->held, (struct ts_run){ packet, 1 });
	else
		++*dropped;
	read_table(j, packet);
	return false;
}

bool join_search_feed(struct join_search *j, const struct ts_run *run,
		      uint64_t now_ns, uint64_t *dropped)
{
	if (j->since_ns == 0)
		j->since_ns = now_ns;
	if (now_ns - j->now_ns >= JOIN_POINT_PAUSE_MS * MS)
		j->main_ns = now_ns;
	j->now_ns = now_ns;
	for (size_t i = 0; i < run->n; i++) {
		const uint8_t *packet = run->data + i * TS_PACKET;

		if (!take(j, packet, dropped))
			continue;
		if (i + 1 < run->n)
			j->put(packet + TS_PACKET, run->n - i - 1, j->arg);
		return true;
	}
	return false;
}
