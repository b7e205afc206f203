/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Restarts the master: executes the installed program in this process.
 *
 * The process number stays, so the workers remain children and the service
 * manager sees no change.  The installed program may be newer than the running
 * one.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>

/* The environment variable with the number of the descriptor of the document of
 * a handover. */
#define RESTART_VARIABLE "SLUICE_HANDOVER"

struct handover;

/* The file of this program, which the caller frees; NULL when unknown.  Call it
 * at the start, before an update can replace the file. */
char *restart_find_program(void);

/* Executes the program in this process with the handover; if that fails, the
 * file of the running program.  Does not return on success.  After -errno the
 * old program continues. */
int restart_exec(const char *program, char *const *argv,
		 const struct handover *) MUST_CHECK;

/* Writes the document to a memfd that survives exec.  Returns it or -errno. */
int restart_document(const struct handover *) MUST_CHECK;

/* Sets whether the descriptors of the handover survive exec. */
void restart_set_inheritable(const struct handover *, bool yes);

/* The handover of the previous program; NULL: there is none, or (logged) it is
 * not usable. */
struct handover *restart_adopt(void);

/*
 * Blocks HUP, INT, TERM and USR2 (hold), or unblocks them.  The program blocks
 * them from its start until it watches them.  restart_exec() blocks them, so
 * that they wait for the new program.  A shutdown blocks them, so that a second
 * signal does not kill the last save.
 */
void restart_hold_signals(bool hold);
