/* SPDX-License-Identifier: GPL-3.0-or-later */
/* np://: pushed to a server by an HTTP POST without an end. */
#include "proto/spec/io_type.h"

#include <stdio.h>

enum { TIMEOUT_MAX_S = 600 };

static const struct io_option options[] = {
	{ "ua", IO_TEXT, IO_OUTPUT(http.user_agent), 1, HTTP_UA_MAX },
	{ "timeout", IO_NUMBER, IO_OUTPUT(http.timeout_s), 1, TIMEOUT_MAX_S },
	{ "header.", IO_GROUP, 0, 0, 0 },
	{ 0 },
};

static int read_output(const struct address *a, struct output_spec *spec,
		       struct errmsg *why)
{
	int r = io_judge_authority(a->target, why);

	spec->http = (struct http_spec){
		.timeout_s = HTTP_TIMEOUT_DEFAULT_S,
	};
	if (r < 0)
		return r;
	(void)snprintf(spec->http.url, sizeof spec->http.url, "http://%s",
		       a->target);
	return io_read_headers(a, &spec->http, why);
}

const struct output_type output_np_type = {
	.name = "np",
	.kind = OUTPUT_NP,
	.net = true,
	.read = read_output,
	.options = options,
};
