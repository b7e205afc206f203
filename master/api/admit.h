/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the caller of a request and whether the caller may enter. */
#pragma once

#include "master/api/call.h"

/*
 * Calls go() when the caller is known and may enter, now or, after a password
 * was checked, later; answers the call with 403, 429 or 503 otherwise.
 */
void admit(struct call *, void (*go)(struct call *));

/* Fills the caller's address; admit() does the rest. */
void admit_address(struct call *);

/* True when a page of another site made the browser send it. */
bool admit_is_foreign(const struct http_request *);

/* True when it came as plain HTTP from another host, and the settings want TLS
 * (control_tls_only). */
bool admit_is_too_plain(const struct call *);

/* 429, 503 or 403, in the place of what stands in the reply. */
void admit_refuse(struct reply *, enum gate_answer);
