/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Announces one output again and again, and that it is over at the end.
 *
 * Owns its socket.  A failure is no matter of the output: it is logged, and
 * tried again.
 */
#pragma once

#include "proto/spec/io_spec.h"

struct sap;

/* The specification, of a udp or rtp output, is copied; name is the session's.
 * Never fails. */
struct sap *sap_new(const struct output_spec *, const char *name);
/* NULL-safe; sets *s to NULL.  Says that it is over. */
void sap_free(struct sap **);

/* After addresses, interfaces or routes changed: what is announced from
 * another place now is so at once. */
void sap_follow(struct sap *);

/* Once a second, while packets are sent. */
void sap_second(struct sap *, uint64_t now_ns);
