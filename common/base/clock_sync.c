/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/clock_sync.h"

#include <sys/timex.h>

enum clock_sync clock_sync_read(void)
{
	struct timex state = { .modes = 0 };

	if (adjtimex(&state) < 0)
		return CLOCK_SYNC_UNKNOWN;
	return state.status & STA_UNSYNC ? CLOCK_SYNC_NO : CLOCK_SYNC_YES;
}
