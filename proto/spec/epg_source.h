/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The address of a source of the programme guide: XMLTV, plain or in gzip, from
 * a file or from a server.
 *
 *	file:///srv/guide.xml
 *	https://user:password@host/guide.xml.gz#interval=600
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/http_spec.h"
#include "proto/spec/io_spec.h"

enum {
	EPG_SOURCES_MAX = 8,
	EPG_INTERVAL_MIN_S = 1,
	EPG_INTERVAL_MAX_S = 7 * 24 * 3600,
	EPG_INTERVAL_DEFAULT_S = 3600,
};

struct epg_source_spec {
	char path[IO_PATH_MAX]; /* of a file; "": http has a server */
	struct http_spec http;
	unsigned interval_s; /* between two imports or exports */
};

struct field_table;

/* Reads the address of a file or server into the struct of the table, which
 * must begin with an epg_source_spec.  Returns as epg_source_parse() does. */
int epg_address_read(const char *text, const struct field_table *, void *spec,
		     struct errmsg *error) MUST_CHECK;

/* Reads the address of a source.  0, or -EINVAL with a sentence that begins
 * with the part of the address. */
int epg_source_parse(const char *text, struct epg_source_spec *ret,
		     struct errmsg *error) MUST_CHECK;

/* Report the options of an address that have no effect.  epg_address_remark()
 * is for an address with the options of another table. */
void epg_source_remark(const char *text, io_remark_fn *remark, void *arg);
void epg_address_remark(const char *text, const struct field_table *,
			io_remark_fn *remark, void *arg);
