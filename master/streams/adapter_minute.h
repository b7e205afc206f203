/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reception of an adapter over its last minute.  Embedded; pure. */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stddef.h>

enum { ADAPTER_SECONDS = 60 };

struct adapter_second {
	bool lock, ber_is_rate;
	uint32_t signal, snr, bitrate_kbps;
	uint64_t ber, unc;
	int32_t signal_db, snr_db;
};

struct adapter_minute {
	size_t n, next;
	struct adapter_second seconds[ADAPTER_SECONDS];
};

void adapter_minute_add(struct adapter_minute *,
			const struct msg_adapter_status *);

/*
 * Replaces the values of the last second in ret by those of the minute.  The
 * bitrate is the mean of all seconds.  The seconds with lock give the other
 * values: levels are the means of known values, unc and ber count the errors
 * of the minute; a ber that is a rate is a mean.  The lock stays that of the
 * last second, and a minute without seconds changes nothing.
 */
void adapter_minute_sum(const struct adapter_minute *,
			struct msg_adapter_status *ret);
