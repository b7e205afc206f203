/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the caller of a request and whether the caller may enter. */
#pragma once

#include "master/api/call.h"

/*
 * Calls go() when the caller is known and may enter, now or, after a password
 * was checked, later; answers the call with 403, 429 or 503 otherwise.
 */
void admit(struct call *, void (*go)(struct call *));

/* Replaces the reply by 429, 503 or 403. */
void admit_refuse(struct reply *, enum gate_answer);
