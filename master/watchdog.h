/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports the state of the service to systemd: that it is ready or stopping,
 * the numbers of workers and viewers, and the signal of the watchdog as long as
 * the loop runs.  Does nothing without systemd.
 *
 * Owns two timers; borrows the loop and the reconciler.
 */
#pragma once

struct ev_loop;
struct reconciler;
struct watchdog;

/* Reports READY=1 and starts the signals. */
struct watchdog *watchdog_new(struct ev_loop *, const struct reconciler *);
void watchdog_free(struct watchdog **);

void watchdog_report_stopping(struct watchdog *);

/* Reports a restart, which lasts until watchdog_report_ready(). */
void watchdog_report_reloading(void);
void watchdog_report_ready(void);
