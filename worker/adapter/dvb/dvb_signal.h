/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts what a frontend measures to the units of the API of Sluice.
 *
 * A driver has statistics of the DVB API 5 in decibels, or in a relative scale,
 * or none.  It may also have the calls of API 3.  Pure.
 */
#pragma once

#include "common/base/util.h"

#include <linux/dvb/frontend.h>
#include <stdbool.h>
#include <stdint.h>

/* Results of the calls of API 3; -1: the call failed, or was not made. */
struct dvb_old_stats {
	int64_t strength, snr, ber, unc;
};

struct dvb_stats {
	unsigned status; /* enum fe_status */
	struct dtv_fe_stats strength, cnr, bit_errors, block_errors;
	struct dvb_old_stats old;
};

struct dvb_signal {
	unsigned status;
	unsigned signal, snr;         /* percent */
	int signal_db, snr_db;        /* 1/100 dBm, 1/100 dB; 0: unknown */
	/* as the driver reports them, 0 to 65535 */
	unsigned signal_raw, snr_raw;
	/* errors of bits and blocks: counters of API 5, or values of API 3;
	 * below 2^53 */
	uint64_t ber, unc;
	bool ber_is_rate;             /* ber is from the call of API 3, which is
				       * no counter */
};

/*
 * best_db: the carrier to noise ratio in dB that counts as 100 percent.  The
 * percentages come from the relative scale of the driver; without one, from the
 * range -95 dBm to -35 dBm and 0 dB to best_db; without decibels, from the
 * calls of API 3.
 */
void dvb_signal_read(const struct dvb_stats *, unsigned best_db,
		     struct dvb_signal *ret);

/* Writes one letter of "SCVYL" for each status bit that is set: signal,
 * carrier, Viterbi, sync, lock; '-' for a bit that is not set. */
enum { DVB_STATUS_TEXT = 6 };
void dvb_signal_status(unsigned status, char ret[DVB_STATUS_TEXT]);
