/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The services of a multiplex, from the records of its tables
 * (proto/si/record.h):
 *
 *	{"pnr": 1, "name": "News", "provider": "P", "service_type": 1,
 *	 "scrambled": true, "caids": [2816]}
 *
 * A service is a program of the PAT.  The SDT names it, or the VCT of ATSC with
 * its number ("channel": "7.1").  The PMT has its CA systems.  Pure; limited to
 * SERVICES_MAX services.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

enum { SERVICES_MAX = 1024, SERVICE_CAIDS_MAX = 32 };

struct scan_services;

struct scan_services *scan_services_new(void);
/* NULL-safe; sets *l to NULL. */
void scan_services_free(struct scan_services **);

/* Takes a record of any table. */
void scan_services_add(struct scan_services *, const json_t *record);

/* Returns the next service that is new or has changed, as a new object; NULL:
 * there is none. */
json_t *scan_services_next(struct scan_services *);

/* True if no section of an SDT or VCT was received. */
bool scan_services_lacks_names(const struct scan_services *);

/* True if no section of a NIT was received; with_sdt: and no section of an
 * SDT. */
bool scan_services_lacks_nit(const struct scan_services *, bool with_sdt);

/* True if the PAT and all PMTs were received completely; nit: also the NIT;
 * names: also the SDT or a VCT. */
bool scan_services_is_complete(const struct scan_services *, bool nit,
			       bool names);

/* Adds "tsid", "onid" and "network_id" to the object, each if it is known. */
void scan_services_put_ids(const struct scan_services *, json_t *object);
