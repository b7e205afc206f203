/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Announces one output by SAP, periodically, and ends the session when it is
 * freed.
 *
 * Owns its socket.  An error does not affect the output: it is logged, and the
 * announcer tries again.
 */
#pragma once

#include "proto/spec/io_spec.h"

struct sap;

/* Copies the specification of a udp or rtp output and the name of the session.
 * Never fails. */
struct sap *sap_new(const struct output_spec *, const char *name);
/* NULL-safe; sets *s to NULL.  Announces the end of the session. */
void sap_free(struct sap **);

/* After addresses, interfaces or routes changed: announces at once if the
 * source address changed. */
void sap_follow(struct sap *);

/* Once a second, while packets are sent. */
void sap_every_second(struct sap *, uint64_t now_ns);
