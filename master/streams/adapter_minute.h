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
 * Replaces the values of the last second in ret by those of the minute: levels
 * and rates are the means of the seconds that have them, errors are the number
 * counted in the minute.  The lock stays that of the last second.
 */
void adapter_minute_sum(const struct adapter_minute *,
			struct msg_adapter_status *ret);
