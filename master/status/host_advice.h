/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this host's settings take away from the inputs, and what to do about
 * it: sentences for the log and for the alarms of the system's status.
 *
 * Reads a few files below /proc, at most every HOST_ADVICE_MS.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

enum { HOST_ADVICE_MS = 10000 };

struct host_advice;

/* root is "/proc/sys/net", but for tests; copied. */
struct host_advice *host_advice_new(const char *root);
void host_advice_free(struct host_advice **);

/* Looks again, when it is time; logs what is new.  streams: the configured
 * ones, borrowed.  A list of sentences, borrowed until the next call. */
const json_t *host_advice_look(struct host_advice *, const json_t *streams,
			       uint64_t now_ms);
