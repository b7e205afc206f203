/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ECM generators of a conditional access system: one, and perhaps a second
 * one in hot standby.
 *
 * Both are connected, and both have all streams set up.  Each request goes to
 * the first generator; if that is not connected or has not answered the last
 * request of the stream, to the second.  A lost connection is made again after
 * a pause.
 *
 * Owns the connections; borrows the loop and the entry.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/cas_spec.h"
#include "worker/cas/ecmg_session.h"

struct ecmg;

struct ecmg_events {
	/* Reports how the ECMs of a stream are broadcast.  terms NULL: no ECMs
	 * arrive, and error says why. */
	void (*on_terms)(unsigned stream, const struct ecmg_terms *terms,
			 const char *error, void *arg);
	void (*on_ecm)(unsigned stream, uint16_t number, struct ts_run,
		       void *arg);
};

struct ecmg_config {
	struct ev_loop *loop;
	const struct cas_entry *entry;
	const struct ecmg_events *events;
	void *arg;
};

struct ecmg *ecmg_new(const struct ecmg_config *);
void ecmg_free(struct ecmg **);

/* Adds a stream, whose number is below ECMG_STREAMS_MAX.  Copies ac, its access
 * criteria. */
void ecmg_add(struct ecmg *, unsigned stream, const struct cas_data *ac);
void ecmg_remove(struct ecmg *, unsigned stream);

/* Requests an ECM.  The request stays until it is answered or replaced, or
 * until the stream is removed.  The access criteria are those of ecmg_add(). */
void ecmg_ask(struct ecmg *, unsigned stream, const struct ecmg_request *);

/* Reports the terms of each stream again, through on_terms. */
void ecmg_repeat(struct ecmg *);

/* The number of streams that are set up at a generator. */
unsigned ecmg_streams(const struct ecmg *);
/* Why the first generator is not connected; NULL: a generator is connected, or
 * the first one has not failed yet. */
const char *ecmg_error(const struct ecmg *);
