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
/* NULL-safe; sets *s to NULL.  Announces the end of a session that was
 * announced. */
void sap_free(struct sap **);

/* Call it after addresses, interfaces or routes changed.  If the source address
 * changed or is unknown, the next sap_every_second() announces
 * the session. */
void sap_follow(struct sap *);

/* Announces the session if an announcement is due.  Call it once a second,
 * while packets are sent. */
void sap_every_second(struct sap *, uint64_t now_ns);
