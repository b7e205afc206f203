/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides what a tuner does when it receives no packets, or bad ones.
 *
 * A fault that lasts takes one step after another, each after a longer delay
 * (at most one minute): tune again, open the devices again, turn the LNB off
 * and on, start a new process, tune again and so on.  A tuner that feeds no LNB
 * opens the devices instead, and without a lock it tunes again instead of the
 * new process.  After 30 s without a fault the steps begin again with the
 * first.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum watch_step {
	WATCH_NONE,
	WATCH_RETUNE,
	WATCH_REOPEN,
	WATCH_POWER,
	WATCH_RENEW, /* start a new process */
};

/* What the tuner observed in the last second. */
struct watch_facts {
	uint64_t now_ns, tuned_ns;
	bool tuned, lock;
	uint64_t packets;
	uint32_t sync_errors; /* packets without sync byte */
	uint32_t pat_packets;  /* packets of the PAT */
	uint32_t cc_errors;    /* packets of the PAT with a wrong counter */
	uint32_t pat_sections; /* sections of the PAT */
	uint32_t pat_errors;   /* sections of the PAT with a wrong checksum */
	uint32_t pes_starts;  /* PES packets of video and audio that start in
			       * packets that are not scrambled */
	uint32_t pes_errors;  /* those of pes_starts that have no PES start
			       * code */
};

struct tuner_watch {
	unsigned moves_ms;  /* milliseconds after a tuning in which a dish may
			     * move */
	unsigned timeout_s; /* seconds without packets that are a fault; 0:
			     * never a fault */
	bool powers;        /* the tuner feeds an LNB */
	unsigned steps;     /* steps since the last GOOD_S seconds without a
			     * fault */
	uint64_t fault_ns;  /* time of the next step against the current fault;
			     * 0: no fault */
	uint64_t good_ns;   /* start of the time without fault; 0: there is a
			     * fault */
	uint64_t packet_ns; /* time when packets last arrived, or of the last
			     * step if that was later */
	unsigned bad_s;     /* consecutive seconds with bad packets */
	bool had_pes;       /* there was a second with PES packets and without
			     * PES errors */
	const char *reason; /* reason of the last step, for the log */
};

/* Returns the step to take now.  The owner calls it once a second. */
enum watch_step tuner_watch_second(struct tuner_watch *,
				   const struct watch_facts *);
