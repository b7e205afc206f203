/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * srt://host:port calls, srt://[iface@]:port listens; mode= says it otherwise.
 * The parameters of other programs' addresses ("?streamid=…") are taken too.
 */
#include "proto/io/type.h"
#include "proto/option_value.h"

#include <errno.h>
#include <string.h>

enum {
	LATENCY_MAX_MS = 60000,
	TIMEOUT_MAX_S = 3600,
	BUFFER_MAX = 1024 * 1024 * 1024,
	OVERHEAD_MIN = 5,
	OVERHEAD_MAX = 100,
	KEY_MAX = 32,
};

#define SRT_OPTIONS(OF) \
	{ "latency", IO_NUMBER, OF(srt.latency_ms), 0, LATENCY_MAX_MS }, \
	{ "timeout", IO_NUMBER, OF(srt.timeout_s), 1, TIMEOUT_MAX_S }, \
	{ "oheadbw", IO_NUMBER, OF(srt.overhead_percent), OVERHEAD_MIN, \
	  OVERHEAD_MAX }, \
	{ "pbkeylen", IO_NUMBER, OF(srt.key_bytes), 0, KEY_MAX }, \
	{ "sndbuf", IO_NUMBER, OF(srt.send_buffer), 0, BUFFER_MAX }, \
	{ "rcvbuf", IO_NUMBER, OF(srt.receive_buffer), 0, BUFFER_MAX }, \
	{ "no_tsbpdmode", IO_FLAG, OF(srt.no_timed_delivery), 0, 0 }, \
	{ "passphrase", IO_TEXT, OF(srt.passphrase), SRT_PASSPHRASE_MIN, \
	  SRT_PASSPHRASE_MAX }, \
	{ "streamid", IO_TEXT, OF(srt.streamid), 1, SRT_STREAMID_MAX }, \
	{ "packetfilter", IO_TEXT, OF(srt.packetfilter), 1, SRT_FILTER_MAX }, \
	{ "mode", IO_IGNORED, 0, 0, 0 }, \
	{ 0 }

static const struct io_option input_options[] = {
	IO_OPTIONS_MERGE,
	SRT_OPTIONS(IO_INPUT)
};
static const struct io_need input_needs[] = {
	IO_NEEDS_MERGE,
	{ 0 },
};

static const struct io_option output_options[] = {
	IO_OPTION_CBR,
	SRT_OPTIONS(IO_OUTPUT)
};

static int read_mode(const char *text, enum srt_mode *ret,
		     struct errmsg *why)
{
	if (strcmp(text, "caller") == 0)
		*ret = SRT_CALLER;
	else if (strcmp(text, "listener") == 0)
		*ret = SRT_LISTENER;
	else if (strcmp(text, "rendezvous") == 0)
		*ret = SRT_RENDEZVOUS;
	else
		return errmsg_fail(why, -EINVAL,
				   "mode: \"%.32s\" is not caller, listener "
				   "or rendezvous", text);
	return 0;
}

/* [iface@][host]:port; a host is a name or an IP literal. */
static int read_target(const char *target, size_t len, struct srt_spec *s,
		       struct errmsg *why)
{
	const char *end = target + len;
	const char *at = memchr(target, '@', len);
	const char *host = at != NULL ? at + 1 : target;
	const char *colon = memrchr(host, ':', (size_t)(end - host));
	size_t host_len;
	unsigned port;

	if (at != NULL && (at == target ||
			   (size_t)(at - target) >= sizeof s->iface))
		return errmsg_fail(why, -EINVAL,
				   "interface: is not a name of one");
	if (colon == NULL)
		return errmsg_fail(why, -EINVAL, "port: is missing");
	if (option_number(colon + 1, (size_t)(end - colon - 1), 1, 65535,
			  &port, why) < 0) {
		errmsg_prefix(why, "port: ");
		return -EINVAL;
	}
	host_len = (size_t)(colon - host);
	if (host_len >= 2 && host[0] == '[' && colon[-1] == ']') {
		host++;
		host_len -= 2;
	}
	if (host_len > SRT_HOST_MAX)
		return errmsg_fail(why, -EINVAL,
				   "host: is longer than %d bytes",
				   SRT_HOST_MAX);
	if (at != NULL)
		memcpy(s->iface, target, (size_t)(at - target));
	memcpy(s->host, host, host_len);
	s->port = (uint16_t)port;
	return 0;
}

/* The spec that is filled, for what stands in the query. */
struct target {
	const struct io_option *options;
	void *spec;
	struct srt_spec *srt;
};

static int read_parameter(const char *key, const char *value, void *arg,
			  struct errmsg *why)
{
	struct target *t = arg;

	if (strcmp(key, "mode") == 0)
		return read_mode(value, &t->srt->mode, why);
	return io_option_set(t->options, key, value, t->spec, why);
}

static int judge(const struct srt_spec *s, struct errmsg *why)
{
	if (s->mode != SRT_LISTENER && s->host[0] == '\0')
		return errmsg_fail(why, -EINVAL, "host: is missing");
	if (s->key_bytes != 0 && s->key_bytes != 16 && s->key_bytes != 24 &&
	    s->key_bytes != 32)
		return errmsg_fail(why, -EINVAL,
				   "pbkeylen: %u is not 16, 24 or 32",
				   s->key_bytes);
	return 0;
}

static int read_srt(const struct address *a, struct target *t,
		    struct errmsg *why)
{
	struct srt_spec *s = t->srt;
	const char *query = strchr(a->target, '?');
	const char *mode = address_option(a, "mode");
	size_t len = strcspn(a->target, "?");
	int r;

	*s = (struct srt_spec){
		.latency_ms = SRT_LATENCY_DEFAULT_MS,
		.timeout_s = SRT_TIMEOUT_DEFAULT_S,
		.overhead_percent = SRT_OVERHEAD_DEFAULT,
	};
	r = read_target(a->target, len, s, why);
	if (r < 0)
		return r;
	s->mode = s->host[0] == '\0' ? SRT_LISTENER : SRT_CALLER;
	if (query != NULL)
		r = io_query_read(query + 1, read_parameter, t, why);
	if (r == 0 && mode != NULL)
		r = read_mode(mode, &s->mode, why);
	return r;
}

static int read_input(const struct address *a, struct input_spec *spec,
		      struct errmsg *why)
{
	struct target t = { input_options, spec, &spec->srt };
	int r = read_srt(a, &t, why);

	return r < 0 ? r : io_merge_read(a, spec, why);
}

static int read_output(const struct address *a, struct output_spec *spec,
		       struct errmsg *why)
{
	struct target t = { output_options, spec, &spec->srt };

	return read_srt(a, &t, why);
}

static int judge_input(const struct input_spec *spec, struct errmsg *why)
{
	return judge(&spec->srt, why);
}

static int judge_output(const struct output_spec *spec, struct errmsg *why)
{
	return judge(&spec->srt, why);
}

const struct input_type input_srt_type = {
	.name = "srt",
	.kind = INPUT_SRT,
	.net = true,
	.read = read_input,
	.options = input_options,
	.needs = input_needs,
	.judge = judge_input,
};

const struct output_type output_srt_type = {
	.name = "srt",
	.kind = OUTPUT_SRT,
	.net = true,
	.read = read_output,
	.options = output_options,
	.judge = judge_output,
};
