/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who may have how many of the master's descriptors.
 *
 * Clients take what they can get; so that they never take what a worker needs
 * to be started again, or a save to be written, they have a share of the limit
 * and no more.
 */
#pragma once

#include <stdint.h>

struct file_budget {
	unsigned control; /* connections of the control server */
	unsigned events;  /* clients of the event channel */
	unsigned streams; /* for which the rest is enough */
};

/* limit: of descriptors.  Pure. */
void file_budget_divide(uint64_t limit, struct file_budget *ret);

/* Of this process, as its limit is now. */
void file_budget_now(struct file_budget *ret);
