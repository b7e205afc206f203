/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads whether a time service keeps the clock of the system synchronised. */
#pragma once

enum clock_sync {
	CLOCK_SYNC_YES,
	CLOCK_SYNC_NO, /* the kernel counts CLOCK_REALTIME as unsynchronised:
			* STA_UNSYNC of adjtimex */
	CLOCK_SYNC_UNKNOWN, /* adjtimex() failed: the process may not call it */
};

enum clock_sync clock_sync_read(void);
