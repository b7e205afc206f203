/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http:// and https:// as an input: a transport stream, or an HLS playlist. */
#include "proto/spec/io_type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	TIMEOUT_MAX_S = 600,
	BUFFER_TIME_MAX_S = 60,
	BUFFER_SIZE_MIN_KIB = 1024,
	BUFFER_SIZE_MAX_KIB = 256 * 1024,
};

#define HEADER "header."

static const struct io_option options[] = {
	{ "ua", IO_TEXT, IO_INPUT(http.user_agent), 1, HTTP_UA_MAX },
	{ "timeout", IO_NUMBER, IO_INPUT(http.timeout_s), 1, TIMEOUT_MAX_S },
	{ "buffer_time", IO_NUMBER, IO_INPUT(http.buffer_time_s), 0,
	  BUFFER_TIME_MAX_S },
	{ "buffer_size", IO_NUMBER, IO_INPUT(http.buffer_size_kib),
	  BUFFER_SIZE_MIN_KIB, BUFFER_SIZE_MAX_KIB },
	{ "no_sync", IO_FLAG, IO_INPUT(http.no_sync), 0, 0 },
	{ "insecure", IO_FLAG, IO_INPUT(http.insecure), 0, 0 },
	{ "ca", IO_TEXT, IO_INPUT(http.ca), 1, HTTP_CA_MAX },
	{ "audio", IO_TEXT, IO_INPUT(http.audio), 1, HTTP_AUDIO_MAX },
	{ "bandwidth", IO_NUMBER, IO_INPUT(http.bandwidth), 1, UINT32_MAX },
	{ "sync", IO_NO_FLAG, IO_INPUT(http.no_sync), 0, 0 },
	{ "debug", IO_IGNORED, 0, 0, 0 },
	{ HEADER, IO_GROUP, 0, 0, 0 },
	{ 0 },
};

static bool is_token(const char *text)
{
	static const char allowed[] =
		"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return text[0] != '\0' && text[strspn(text, allowed)] == '\0';
}

/* header.NAME=VALUE; the address has no control characters. */
int io_read_headers(const struct address *a, struct http_spec *h,
		    struct errmsg *why)
{
	size_t len = 0;

	for (size_t i = 0; i < a->n_options; i++) {
		const char *key = a->options[i].key;
		const char *value = a->options[i].value;
		int n;

		if (strncmp(key, HEADER, strlen(HEADER)) != 0)
			continue;
		key += strlen(HEADER);
		if (!is_token(key))
			return errmsg_fail(why, -EINVAL,
					   "header: \"%.32s\" is not the name "
					   "of one", key);
		n = snprintf(h->headers + len, sizeof h->headers - len,
			     "%s: %s\n", key, value != NULL ? value : "");
		if (n < 0 || (size_t)n >= sizeof h->headers - len)
			return errmsg_fail(why, -EINVAL,
					   "header: all together are longer "
					   "than %d bytes", HTTP_HEADERS_MAX);
		len += (size_t)n;
	}
	return 0;
}

static int read_input(const struct address *a, struct input_spec *spec,
		      struct errmsg *why)
{
	int r = io_judge_authority(a->target, why);

	spec->http = (struct http_spec){
		.timeout_s = HTTP_TIMEOUT_DEFAULT_S,
		.buffer_time_s = HTTP_BUFFER_DEFAULT_S,
		.buffer_size_kib = HTTP_BUFFER_DEFAULT_KIB,
	};
	if (r < 0)
		return r;
	(void)snprintf(spec->http.url, sizeof spec->http.url, "%s://%s",
		       a->type, a->target);
	return io_read_headers(a, &spec->http, why);
}

static int judge_input(const struct input_spec *spec, struct errmsg *why)
{
	if (spec->http.ca[0] != '\0' && spec->http.ca[0] != '/')
		return errmsg_fail(why, -EINVAL,
				   "ca: \"%.64s\" is not an absolute path",
				   spec->http.ca);
	return 0;
}

static const char *const idle_inputs[] = { "debug", NULL };

const struct input_type input_http_type = {
	.name = "http",
	.kind = INPUT_HTTP,
	.net = true,
	.read = read_input,
	.options = options,
	.idle = idle_inputs,
	.judge = judge_input,
};

const struct input_type input_https_type = {
	.name = "https",
	.kind = INPUT_HTTP,
	.net = true,
	.read = read_input,
	.options = options,
	.idle = idle_inputs,
	.judge = judge_input,
};
