/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTP clients: http:// and https:// as an input, which is a transport stream
 * or an HLS playlist; np:// as an output, which is an HTTP POST without end. */
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

/* Appends the header of an option "header.NAME=VALUE" to the headers.  VALUE
 * has no line breaks: addresses have no control characters. */
static int read_header(const struct field *f, const char *key,
		       const char *text, void *s, struct errmsg *error)
{
	static const char token[] =
		"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *headers = (char *)s + f->offset;
	size_t len = strlen(headers);
	int n;

	key += strlen(f->key);
	if (key[0] == '\0' || key[strspn(key, token)] != '\0')
		return errmsg_fail(error, -EINVAL,
				   "\"%.32s\" is not the name of a header",
				   key);
	n = snprintf(headers + len, f->size - len, "%s: %s\n", key, text);
	if (n >= 0 && (size_t)n < f->size - len)
		return 0;
	return errmsg_fail(error, -EINVAL, "all headers together are longer "
			   "than %u bytes", f->size - 1);
}

static const struct field_hook header_hook = { .schema = "string",
					       .read = read_header };

#define ROWS_CLIENT(spec) \
	{ "ua", FIELD_AT(spec, http.user_agent), .min = 1, \
	  .help = "User-Agent of the requests." }, \
	{ "timeout", FIELD_AT(spec, http.timeout_s), .min = 1, \
	  .max = TIMEOUT_MAX_S, .initial = HTTP_TIMEOUT_DEFAULT_S, \
	  .unit = "s", .flags = FIELD_OBSERVER, \
	  .help = "Time without data from the server after which the " \
		  "connection fails." }, \
	{ "header.", FIELD_BY(&header_hook, spec, http.headers), \
	  .flags = FIELD_GROUP | FIELD_EVERY, \
	  .help = "Header of the requests." }

static const char *const follows[] = { "public", "any", NULL };

static const struct field input_rows[] = {
	ROWS_CLIENT(struct input_spec),
	{ "buffer_time", IO_INPUT(http.buffer_time_s),
	  .max = BUFFER_TIME_MAX_S, .initial = HTTP_BUFFER_DEFAULT_S,
	  .unit = "s",
	  .flags = FIELD_OBSERVER,
	  .help = "Delay between receiving and sending the stream." },
	{ "buffer_size", IO_INPUT(http.buffer_size_kib),
	  .min = BUFFER_SIZE_MIN_KIB, .max = BUFFER_SIZE_MAX_KIB,
	  .initial = HTTP_BUFFER_DEFAULT_KIB, .unit = "KiB",
	  .flags = FIELD_OBSERVER,
	  .help = "Memory for data that is received and not yet sent." },
	{ "no_sync", IO_INPUT(http.no_sync),
	  .flags = FIELD_OBSERVER,
	  .help = "Sends packets as received, not at the times of the PCR." },
	{ "sync", IO_INPUT(http.no_sync),
	  .flags = FIELD_NEGATED | FIELD_ALIAS | FIELD_OBSERVER,
	  .help = "Sends packets at the times of the PCR." },
	{ "follow", IO_INPUT(http.follow), .choices = follows,
	  .flags = FIELD_OBSERVER,
	  .help = "Where playlists and redirects may lead: to the server's "
		  "own and public addresses, or to any." },
	{ "insecure", IO_INPUT(http.insecure),
	  .flags = FIELD_OBSERVER,
	  .help = "Accepts any certificate of the server." },
	{ "ca", IO_INPUT(http.ca), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .help = "File with the certificates that are trusted." },
	{ "audio", IO_INPUT(http.audio), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .help = "Language or name of the audio of an HLS playlist." },
	{ "bandwidth", IO_INPUT(http.bandwidth), .min = 1, .unit = "bit/s",
	  .flags = FIELD_OBSERVER,
	  .help = "Highest bandwidth of a variant of an HLS playlist." },
	{ "debug", .type = FIELD_NONE, .form = "boolean",
	  .flags = FIELD_IDLE, .help = "Accepted for compatibility with other "
				       "programs; without effect." },
	IO_ROWS_WATCHDOG(0, 0),
};
static const struct field_table input_fields = FIELD_TABLE(struct input_spec,
							   input_rows);

static int read_input(const struct address *a, void *spec, struct errmsg *error)
{
	struct http_spec *h = &((struct input_spec *)spec)->http;

	(void)snprintf(h->url, sizeof h->url, "%s://%s", a->type, a->target);
	return io_judge_authority(a->target, error);
}

static int finish_input(const struct address *a, void *spec,
			struct errmsg *error)
{
	const struct input_spec *in = spec;

	(void)a;
	if (in->http.ca[0] != '\0' && in->http.ca[0] != '/')
		return errmsg_fail(error, -EINVAL,
				   "ca: \"%.64s\" is not an absolute path",
				   in->http.ca);
	return 0;
}

const struct io_type input_http_type = {
	.name = "http",
	.target = "host[:port]/path",
	.kind = INPUT_HTTP,
	.options = &input_fields,
	.read = read_input,
	.finish = finish_input,
};

const struct io_type input_https_type = {
	.name = "https",
	.target = "host[:port]/path",
	.kind = INPUT_HTTP,
	.options = &input_fields,
	.read = read_input,
	.finish = finish_input,
};

static const struct field np_rows[] = { ROWS_CLIENT(struct output_spec) };
static const struct field_table np_fields = FIELD_TABLE(struct output_spec,
							np_rows);

static int read_np(const struct address *a, void *spec, struct errmsg *error)
{
	struct http_spec *h = &((struct output_spec *)spec)->http;

	(void)snprintf(h->url, sizeof h->url, "http://%s", a->target);
	return io_judge_authority(a->target, error);
}

const struct io_type output_np_type = {
	.name = "np",
	.target = "[login:password@]host[:port]/path",
	.kind = OUTPUT_NP,
	.net = true,
	.options = &np_fields,
	.read = read_np,
};
