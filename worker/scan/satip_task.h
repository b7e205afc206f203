/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The task of a scan for SAT>IP servers: searches on each interface with
 * multicast and IPv4, receives notifications, loads the descriptions of the
 * servers, and reports servers to the master as they change and a status every
 * second.
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
