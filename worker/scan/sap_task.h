/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives the SAP announcements of all SAP groups on each interface.  Reports
 * sessions to the master when they change, and a status every second.
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
