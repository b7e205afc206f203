/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a time service keeps the clock of the system. */
#pragma once

enum clock_sync {
	CLOCK_SYNC_YES,
	CLOCK_SYNC_NO, /* the kernel counts CLOCK_REALTIME as unsynchronised:
			* STA_UNSYNC of adjtimex */
	CLOCK_SYNC_UNKNOWN, /* this process may not ask */
};

enum clock_sync clock_sync_read(void);
