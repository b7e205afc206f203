/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies the caller of a request and decides whether the caller may
 * enter. */
#pragma once

#include "master/api/call.h"

/*
 * Calls go() if the caller is identified and may enter: at once, or later if a
 * password must be checked.  Otherwise answers the call with 403, 429 or 503,
 * and frees the call.  If accounts are switched off, every caller enters as a
 * control user.
 */
void admit(struct call *, void (*go)(struct call *));

/* Replaces the reply by the error for this result of a password check: 429
 * (locked), 503 (busy), else 403. */
void admit_refuse(struct reply *, enum gate_answer);
