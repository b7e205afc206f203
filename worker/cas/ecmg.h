/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ECM generators of a conditional access system: one, or a second one in
 * hot standby.
 *
 * Both are connected and have all streams set up.  Each request goes to the
 * first that answers.  A lost connection is made again after a pause.
 *
 * Owns the connections; borrows the loop and the entry.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/cas_spec.h"
#include "worker/cas/ecmg_session.h"

struct ecmg;

struct ecmg_events {
	/* How the ECMs of a stream are broadcast; terms NULL: none arrive, and
	 * error says why. */
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

/* Adds a stream, whose number is below ECMG_STREAMS_MAX.  Copies its access
 * criteria. */
void ecmg_add(struct ecmg *, unsigned stream, const struct cas_data *ac);
void ecmg_remove(struct ecmg *, unsigned stream);

/* Requests an ECM.  The request stands until it is answered, replaced, or the
 * stream is removed.  The access criteria are those of ecmg_add(). */
void ecmg_ask(struct ecmg *, unsigned stream, const struct ecmg_request *);

/* Calls on_terms again for each stream. */
void ecmg_repeat(struct ecmg *);

/* The number of streams that a generator has set up. */
unsigned ecmg_streams(const struct ecmg *);
/* Why the first generator is not available; NULL: one is available, or the
 * first has not failed yet. */
const char *ecmg_error(const struct ecmg *);
