/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides the descriptors of the master between clients and streams.
 *
 * Clients get only a share of the limit, so that there are always descriptors
 * to restart a worker and to save the configuration.
 */
#pragma once

#include <stdint.h>

struct file_budget {
	unsigned control; /* limit of connections of the control server */
	unsigned events;  /* limit of clients of the event channel */
	/* number of streams for which the remaining descriptors suffice */
	unsigned streams;
};

/* Divides a number of descriptors (limit).  Pure. */
void file_budget_divide(uint64_t limit, struct file_budget *ret);

/* As file_budget_divide(), for the present limit of open files (RLIMIT_NOFILE)
 * of this process; 1024 if the limit cannot be read. */
void file_budget_now(struct file_budget *ret);
