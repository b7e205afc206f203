/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is announced on the network, told to the master as it changes, with a
 * status each second.
 *
 * Owns its timer, table and sockets; borrows the worker.
 */
#pragma once

struct listening;
struct worker;

/* Begins at once.  Never fails: what hinders is told with the status. */
struct listening *listening_new(struct worker *);
/* NULL-safe; sets *l to NULL. */
void listening_free(struct listening **);
