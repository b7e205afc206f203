/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts a timer of libev with its whole time.
 *
 * libev by itself gives a timer that expired or was stopped only the rest of
 * its former time.
 */
#pragma once

#include <ev.h>

/* t expires once, after seconds.  A running timer starts again; an expiry that
 * was not yet reported is dropped. */
void timer_start(struct ev_loop *, ev_timer *t, double seconds);

/* As timer_start(), unless t runs already or its expiry is about to be
 * reported. */
void timer_ensure(struct ev_loop *, ev_timer *t, double seconds);

/* Like timer_start(), but t expires after first_s and then every every_s > 0
 * seconds, until ev_timer_stop(). */
void timer_repeat(struct ev_loop *, ev_timer *t, double first_s,
		  double every_s);
