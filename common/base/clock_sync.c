/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/clock_sync.h"

#include <sys/timex.h>

bool clock_is_synchronised(void)
{
	struct timex state = { .modes = 0 };

	return adjtimex(&state) < 0 || !(state.status & STA_UNSYNC);
}
