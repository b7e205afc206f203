/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a frontend measures, in the units of the API.
 *
 * A driver has statistics of the DVB API 5 in decibel, in a scale of its own,
 * or none; and perhaps the calls of API 3.  Pure.
 */
#pragma once

#include "common/base/util.h"

#include <linux/dvb/frontend.h>
#include <stdbool.h>
#include <stdint.h>

/* The calls of API 3; -1: the driver lacks the call. */
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
	unsigned signal_raw, snr_raw; /* of the driver, 0 to 65535 */
	uint64_t ber, unc;            /* counters of API 5, below 2^53 */
	bool ber_is_rate;             /* ber is a rate of API 3, not a
				       * counter */
};

/*
 * best_db: the carrier to noise ratio that counts as 100 percent.
 * Percent are those of a relative scale of the driver, else -95 dBm to -35 dBm
 * and 0 dB to best_db, else those of API 3.
 */
void dvb_signal_read(const struct dvb_stats *, unsigned best_db,
		     struct dvb_signal *ret);

/* "SCVYL": the bits of the status that are set, '-' for others. */
enum { DVB_STATUS_TEXT = 6 };
void dvb_signal_status(unsigned status, char ret[DVB_STATUS_TEXT]);
