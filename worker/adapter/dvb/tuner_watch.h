/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides what a tuner does when it receives nothing, or nonsense.
 *
 * Each fault takes the next step, with a longer delay each time: tune again,
 * open the devices again, turn the LNB off and on, a new process.  Time without
 * fault forgives.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum watch_step {
	WATCH_NONE,
	WATCH_RETUNE,
	WATCH_REOPEN,
	WATCH_POWER,
	WATCH_RENEW, /* the process */
};

/* What was seen in the last second. */
struct watch_facts {
	uint64_t now_ns, tuned_ns;
	bool tuned, lock;
	uint64_t packets;
	uint32_t sync_errors; /* packets without sync byte */
	uint32_t pat_packets;  /* packets of the PAT */
	uint32_t cc_errors;    /* packets of the PAT with a wrong counter */
	uint32_t pat_sections; /* sections of the PAT */
	uint32_t pat_errors;   /* sections of the PAT with a wrong checksum */
	uint32_t pes_starts;  /* starts of units of video and audio in the
			       * clear */
	uint32_t pes_errors;  /* those of them without a PES start code */
};

struct tuner_watch {
	unsigned moves_ms;  /* a dish may move so long after a tuning */
	unsigned timeout_s; /* without packets; 0: for ever */
	bool powers;        /* the tuner feeds an LNB */
	unsigned steps;     /* taken since the last long time without fault */
	uint64_t fault_ns;  /* time of the next step against the current fault;
			     * 0: no fault */
	uint64_t good_ns;   /* start of the time without fault; 0: there is a
			     * fault */
	uint64_t packet_ns; /* time of the last packets */
	unsigned bad_s;     /* seconds in sequence with wrong packets */
	bool had_pes;       /* there was a second without PES errors */
	const char *reason; /* of the last step, for the log */
};

/* The step to take now, at most one in a second. */
enum watch_step tuner_watch_second(struct tuner_watch *,
				   const struct watch_facts *);
