/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The task of a scan of announcements: receives them on each SAP group of each
 * interface, and reports sessions to the master as they change and a status
 * every second.
 *
 * Owns its timer, table and sockets; borrows the worker.
 */
#pragma once

struct sap_task;
struct worker;

/* Starts at once.  Never fails: the status contains the error. */
struct sap_task *sap_task_new(struct worker *);
/* NULL-safe; sets *t to NULL. */
void sap_task_free(struct sap_task **);
