/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What we tell systemd: ready, stopping, a line of status, and that the loop
 * still turns.  Says nothing where there is no systemd.
 *
 * Owns two timers; borrows the loop and the fleet.
 */
#pragma once

struct ev_loop;
struct fleet;
struct watchdog;

/* Says READY=1. */
struct watchdog *watchdog_new(struct ev_loop *, const struct fleet *);
void watchdog_free(struct watchdog **);

void watchdog_say_stopping(struct watchdog *);

/* Away for a moment, until somebody says ready (again). */
void watchdog_say_reloading(void);
void watchdog_say_ready(void);
