/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces the program of this process by a new one, which takes up what runs.
 *
 * The process number stays, so workers remain our children and the service
 * manager sees no change.  The new program is the one installed now, which may
 * be another than the one that runs.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

struct handover;

/* The file that this program was started from; free() it.  Call it at the
 * start, before anybody can have replaced the file.  NULL when unknown. */
char *restart_find_program(void);

/* Does not return when it succeeds.  On -errno everything is as before. */
int restart_exec(const char *program, char *const *argv,
		 const struct handover *) MUST_CHECK;

/* What the program before us left; NULL when there was none, or (logged) when
 * it cannot be used. */
struct handover *restart_adopt(void);

/* Signals that came since the end of the program before us are delivered:
 * call it when they are watched. */
void restart_let_signals_in(void);

/* The end: who asks for it twice must not kill us in the last save. */
void restart_keep_signals_out(void);
