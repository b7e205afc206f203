/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/tuner_watch.h"

#include "common/base/units.h"
#include "common/base/util.h"

enum {
	LOCK_S = 5,     /* time for a lock, after a tuning and after a loss of
			 * lock */
	DELAY_MAX_S = 60,
	GOOD_S = 30,
	BAD_MAX_S = 3,
	BAD_PACKETS = 5, /* in a second; fewer count as a short disturbance */
};

static uint64_t max_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Are at least half of all wrong?  The fraction decides, not a number, because
 * a PAT may have only two packets in a second (TR 101 290 5.2.1). */
static bool is_half(uint32_t errors, uint32_t all)
{
	return all > 0 && 2 * (uint64_t)errors >= all;
}

/* Why the packets that arrive are bad; NULL: they are good. */
static const char *find_bad(struct tuner_watch *w, const struct watch_facts *f)
{
	bool pes;

	/* PES errors are no fault of the tuner if they concern a minority of
	 * the PES packets, nor if the multiplex has had them from the start */
	w->had_pes |= f->pes_starts > 0 && f->pes_errors == 0;
	pes = w->had_pes && f->pes_errors >= BAD_PACKETS &&
	      f->pes_errors > f->pes_starts / 2;
	if (f->sync_errors >= BAD_PACKETS)
		return "dvr sync byte error";
	if (is_half(f->cc_errors, f->pat_packets))
		return "dvr cc error";
	if (is_half(f->pat_errors, f->pat_sections))
		return "PAT checksum error";
	return pes ? "PES error" : NULL;
}

/* The fault of the last second; NULL: there is none. */
static const char *find_fault(struct tuner_watch *w,
			      const struct watch_facts *f)
{
	uint64_t since_ns = max_ns(w->packet_ns, f->tuned_ns);
	const char *bad;

	if (!f->lock)
		return "no lock";
	if (f->packets > 0)
		w->packet_ns = f->now_ns;
	/* a tuning may have happened after now_ns was read */
	else if (w->timeout_s > 0 && f->now_ns > since_ns &&
		 f->now_ns - since_ns >= w->timeout_s * SECOND_NS)
		return "dvr receiving timeout";
	bad = find_bad(w, f);
	w->bad_s = bad != NULL ? w->bad_s + 1 : 0;
	return w->bad_s < BAD_MAX_S ? NULL : bad;
}

static enum watch_step choose(const struct tuner_watch *w, bool lock)
{
	const enum watch_step steps[] = {
		WATCH_RETUNE, WATCH_REOPEN,
		w->powers ? WATCH_POWER : WATCH_REOPEN,
		/* without a lock a new process would not help */
		lock ? WATCH_RENEW : WATCH_RETUNE,
	};

	return steps[w->steps % ARRAY_LEN(steps)];
}

enum watch_step tuner_watch_second(struct tuner_watch *w,
				   const struct watch_facts *f)
{
	const char *fault;
	enum watch_step step;

	if (!f->tuned) {
		w->fault_ns = w->good_ns = 0;
		w->bad_s = 0;
		return WATCH_NONE;
	}
	fault = find_fault(w, f);
	if (fault == NULL) {
		if (w->good_ns == 0)
			w->good_ns = f->now_ns;
		if (f->now_ns - w->good_ns >= GOOD_S * SECOND_NS)
			w->steps = 0;
		w->fault_ns = 0;
		return WATCH_NONE;
	}
	w->good_ns = 0;
	if (w->fault_ns == 0) {
		unsigned delay_s = MIN((unsigned)LOCK_S << MIN(w->steps, 8u),
				       (unsigned)DELAY_MAX_S);

		/* the first step is taken at once if there is a lock: such a
		 * fault has already lasted for some seconds */
		w->fault_ns = f->now_ns +
			      (f->lock && w->steps == 0 ? 0 : delay_s) *
				      SECOND_NS;
		if (!f->lock)
			w->fault_ns = max_ns(w->fault_ns, f->tuned_ns +
					     (LOCK_S * 1000 + w->moves_ms) *
						     MS);
	}
	if (f->now_ns < w->fault_ns)
		return WATCH_NONE;
	step = choose(w, f->lock);
	w->steps++;
	w->fault_ns = 0;
	w->bad_s = 0;
	w->packet_ns = f->now_ns;
	w->reason = fault;
	return step;
}
