/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/epg_export.h"

#include "proto/spec/field.h"
#include "proto/spec/field_idle.h"

enum { TIMEOUT_MAX_S = 600 };

#define AT(member) FIELD_AT(struct epg_export_spec, member)

static const char *const formats[] = { "xmltv", "json", NULL };

static const struct field rows[] = {
	{ "format", AT(format), .choices = formats,
	  .help = "Format of the document." },
	{ "gzip", AT(gzip), .help = "Compresses the document." },
	{ "interval", AT(to.interval_s), .min = EPG_INTERVAL_MIN_S,
	  .max = EPG_INTERVAL_MAX_S, .initial = EPG_EXPORT_INTERVAL_S,
	  .unit = "s", .help = "Time between two exports." },
	{ "timeout", AT(to.http.timeout_s), .min = 1, .max = TIMEOUT_MAX_S,
	  .initial = HTTP_TIMEOUT_DEFAULT_S, .unit = "s",
	  .idle_in = WHERE_FILE,
	  .help = "Time without data from the server after which a transfer "
		  "fails." },
	{ "ua", AT(to.http.user_agent), .min = 1,
	  .idle_in = WHERE_FILE,
	  .help = "User-Agent of the requests." },
	{ "insecure", AT(to.http.insecure),
	  .idle_in = WHERE_FILE,
	  .help = "Accepts any certificate of the server." },
	{ "ca", AT(to.http.ca), .min = 1,
	  .idle_in = WHERE_FILE,
	  .help = "File with the certificates that are trusted." },
};
static const struct field_table fields = FIELD_TABLE(struct epg_export_spec,
						     rows);

int epg_export_parse(const char *text, struct epg_export_spec *ret,
		     struct errmsg *error)
{
	struct epg_export_spec s = { 0 };
	int r = epg_address_read(text, &fields, &s, error);

	if (r == 0)
		*ret = s;
	return r;
}

void epg_export_remark(const char *text, io_remark_fn *remark, void *arg)
{
	epg_address_remark(text, &fields, remark, arg);
}
