/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The address to which the programme guide is exported: a file, which each
 * export replaces, or a server, which gets each export by HTTP POST.
 *
 *	file:///srv/www/tv.xml.gz#gzip&interval=600
 *	https://user:password@host/guide#format=json
 */
#pragma once

#include "proto/spec/epg_source.h"

enum {
	EPG_EXPORTS_MAX = 8,
	EPG_EXPORT_INTERVAL_S = 600, /* default of the interval */
};

enum epg_format { EPG_FORMAT_XMLTV, EPG_FORMAT_JSON };

struct epg_export_spec {
	struct epg_source_spec to;
	enum epg_format format;
	bool gzip;
};

/* Reads the address of an export.  0, or -EINVAL with a sentence that begins
 * with the part of the address. */
int epg_export_parse(const char *text, struct epg_export_spec *ret,
		     struct errmsg *error) MUST_CHECK;

/* Reports the options of an address that have no effect. */
void epg_export_remark(const char *text, io_remark_fn *remark, void *arg);
