/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the tables and services of a multiplex, and sends them to the
 * master.  May be used for several multiplexes, one after another.
 *
 * Embedded.  Borrows the channel.
 */
#pragma once

#include "worker/scan/scan_services.h"
#include "worker/ts/packet.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel;
struct record_feed;

struct scan_report {
	struct channel *channel;
	bool services_only; /* the records of the tables are not sent */
	bool atsc; /* the multiplex may have no NIT and no names */
	/* Is called with each record of a table; may be NULL. */
	void (*on_record)(const json_t *record, void *arg);
	void *arg;
	struct record_feed *feed;
	struct scan_services *services;
};

/* Begins another multiplex.  The caller has set channel to arg. */
void scan_report_reset(struct scan_report *);
void scan_report_done(struct scan_report *);

void scan_report_packets(struct scan_report *, const struct ts_run *runs,
		      size_t n_runs);

/* True if the tables of the multiplex were received; nit: also its NIT.  After
 * NAMES_MS a multiplex of ATSC is also complete without names, and without a
 * NIT if it has no SDT either.  since_ns: time of its first packets; 0: none
 * yet. */
bool scan_report_is_complete(const struct scan_report *, bool nit,
			     uint64_t since_ns, uint64_t now_ns);

/* Sends new and changed services as services of transponder `number'.  Stops
 * while messages wait in the channel, and after SERVICES_AT_ONCE; all: sends
 * all of them nevertheless.  To be called in each tick. */
void scan_report_send(struct scan_report *, uint32_t number, bool all);
