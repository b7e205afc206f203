/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides the descriptors of the master between clients and streams.
 *
 * Clients get a share of the limit, so that descriptors always remain for the
 * restart of a worker and for saving the configuration.
 */
#pragma once

#include <stdint.h>

struct file_budget {
	unsigned control; /* connections of the control server */
	unsigned events;  /* clients of the event channel */
	unsigned streams; /* for which the remainder is enough */
};

/* limit: number of descriptors.  Pure. */
void file_budget_divide(uint64_t limit, struct file_budget *ret);

/* For the present limit of this process. */
void file_budget_now(struct file_budget *ret);
