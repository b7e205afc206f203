/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The own EIT of a stream, from the events that the guide (the process that
 * keeps events) has sent (tables/eit_image.h): present and following, and the
 * schedule, of its services; and present and following, or all, of the streams
 * of nit_other.
 *
 * The events that the guide sent last stay in use until it sends others, also
 * while the guide does not run.  Present and following change with the time.
 *
 * A service has the events of its number in the guide of the stream.  If there
 * are none, it has those of the input of a multiplex that carries it.
 *
 * Owns the events, but not those of nit_other; borrows the stage.
 */
#pragma once

#include "proto/spec/tables_spec.h"
#include "worker/tables/table_stage.h"

#include <jansson.h>

struct eit_versions;
struct msg_stream_guide;
struct other_guides;
struct output_sdt;
struct own_eit;
struct psi;

/* Finds the service pnr of the output in the multiplex: *ret_place is the input
 * that carries it (from 1), *ret_number its number in that input.  False: the
 * service is not known. */
typedef bool own_eit_input_fn(uint16_t pnr, unsigned *ret_place,
			      uint16_t *ret_number, void *arg);

struct own_eit_config {
	const struct tables_spec *spec; /* copied */
	/* Tables of the output: PSI and SDT.  They outlive the own EIT. */
	const struct psi *psi;
	const struct output_sdt *sdt;
	/* streams of nit_other; own_eit sets their n_sent */
	struct other_guides *others;
	/* versions of the EIT; outlive the own EIT */
	struct eit_versions *versions;
	struct table_stage *stage;
	bool scrambled; /* another stage scrambles the output */
	/* A bit for each place (msg_stream_guide.place) whose events will
	 * arrive: the first EIT wait for these events, a few seconds at
	 * most. */
	uint64_t guides;
	/* called with arg; NULL: the stream is no multiplex */
	own_eit_input_fn *input_of;
	void *arg;
};

/* Makes the own EIT.  NULL: all EIT are those of the source. */
struct own_eit *own_eit_new(const struct own_eit_config *);
/* NULL-safe; sets *o to NULL. */
void own_eit_free(struct own_eit **);

/* Takes the events of the stream, or of an input, in memory fd (borrowed).
 * Malformed events are logged and change nothing. */
void own_eit_guide(struct own_eit *, const struct msg_stream_guide *, int fd);

/* Call it after a change of the tables of the stream or of its inputs, of the
 * streams of nit_other or their events, or of the identifiers or the status of
 * services in the SDT.  The next turn makes the list of services again; the
 * previous events are not read any more.  Own EIT have the
 * transport_stream_id and original_network_id of the SDT, or without an SDT
 * those of the PAT and of tables_spec_onid().  They have the running_status and
 * the free_CA_mode that the SDT has for their service.  For a service that the
 * SDT lacks, the PMT decides. */
void own_eit_use(struct own_eit *);
/* Builds what is due: some present and following events, and at most one table
 * of a schedule. */
void own_eit_turn(struct own_eit *, uint64_t unix_ms);

/* True if the list of services is to be made again, in the next turn or when
 * the first SDT and events are known. */
bool own_eit_waits(const struct own_eit *);
/* A number that grows whenever the list of services was made again. */
uint64_t own_eit_edition(const struct own_eit *);

/* The number of services that have no room: EIT of at most EIT_SERVICES_MAX
 * services are sent.  A schedule without room for all tables counts as one
 * more. */
size_t own_eit_left_out(const struct own_eit *);
