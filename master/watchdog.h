/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What we tell systemd: ready, stopping, a line of status, and that the loop
 * still turns.  Says nothing where there is no systemd.
 *
 * Owns two timers; borrows the loop and the reconciler.
 */
#pragma once

struct ev_loop;
struct reconciler;
struct watchdog;

/* Says READY=1. */
struct watchdog *watchdog_new(struct ev_loop *, const struct reconciler *);
void watchdog_free(struct watchdog **);

void watchdog_say_stopping(struct watchdog *);

/* Away for a moment, until somebody says ready (again). */
void watchdog_say_reloading(void);
void watchdog_say_ready(void);
