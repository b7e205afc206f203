/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the SAT>IP servers of the network: sends searches on each multicast
 * interface, receives notifications, and loads the descriptions of the servers.
 * Reports servers to the master when they change, and a status every second.
 *
 * Owns its timer, table, sockets and transfers; borrows the worker.
 */
#pragma once

struct satip_task;
struct worker;

/* Starts at once.  Never fails: the status contains the error. */
struct satip_task *satip_task_new(struct worker *);
/* NULL-safe; sets *t to NULL. */
void satip_task_free(struct satip_task **);
