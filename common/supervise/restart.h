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

/* The environment variable that names the document of a handover. */
#define RESTART_VARIABLE "SLUICE_HANDOVER"

struct handover;

/* The file of this program; free() it.  Call it at the start, before an
 * update can replace the file.  NULL when unknown. */
char *restart_find_program(void);

/* Does not return on success.  After -errno the old program continues. */
int restart_exec(const char *program, char *const *argv,
		 const struct handover *) MUST_CHECK;

/* A memfd with the document that survives exec; or -errno. */
int restart_document(const struct handover *) MUST_CHECK;

/* Whether exec keeps the descriptors of the handover. */
void restart_set_inheritable(const struct handover *, bool yes);

/* The handover of the previous program; NULL: none, or (logged) not usable. */
struct handover *restart_adopt(void);

/*
 * The program holds HUP, INT, TERM and USR2 from its start until it watches
 * them.  restart_exec() holds them, so that they wait for the new program.  A
 * shutdown holds them, so that a second signal does not kill the last save.
 */
void restart_hold_signals(bool hold);
