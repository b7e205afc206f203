/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rist://host:port calls, rist://@[address]:port waits to be called; several
 * peers stand behind commas.  The parameters of other programs' addresses
 * ("?secret=…") are taken too.
 */
#include "proto/io/type.h"
#include "proto/option_value.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_MAX_MS = 30000 };

#define RIST_OPTIONS(OF) \
	{ "buffer", IO_NUMBER, OF(rist.buffer_ms), 1, BUFFER_MAX_MS }, \
	{ "secret", IO_TEXT, OF(rist.secret), 1, RIST_SECRET_MAX }, \
	{ "aes-type", IO_NUMBER, OF(rist.key_bits), 0, UINT32_MAX }, \
	{ "cname", IO_TEXT, OF(rist.cname), 1, RIST_CNAME_MAX }, \
	{ "profile", IO_IGNORED, 0, 0, 0 }, \
	{ 0 }

static const struct io_option input_options[] = { RIST_OPTIONS(IO_INPUT) };
static const struct io_option output_options[] = { RIST_OPTIONS(IO_OUTPUT) };

/* The spec that is filled, for what stands in the query. */
struct target {
	const struct io_option *options;
	void *spec;
	struct rist_spec *rist;
};

static int read_profile(const char *text, struct rist_spec *s,
			struct errmsg *why)
{
	if (strcmp(text, "simple") == 0 || strcmp(text, "0") == 0)
		s->simple = true;
	else if (strcmp(text, "main") == 0 || strcmp(text, "1") == 0)
		s->simple = false;
	else
		return errmsg_fail(why, -EINVAL, "profile: \"%.32s\" is not "
				   "simple or main", text);
	return 0;
}

static int read_parameter(const char *key, const char *value, void *arg,
			  struct errmsg *why)
{
	struct target *t = arg;

	if (strcmp(key, "profile") == 0)
		return read_profile(value, t->rist, why);
	return io_option_set(t->options, key, value, t->spec, why);
}

/* [@][host]:port */
static int read_peer(const char *text, size_t len, struct rist_peer_spec *p,
		     struct errmsg *why)
{
	const char *end = text + len, *colon;
	unsigned port;

	p->listens = len > 0 && text[0] == '@';
	text += p->listens;
	colon = memrchr(text, ':', (size_t)(end - text));
	if (colon == NULL)
		return errmsg_fail(why, -EINVAL, "port: is missing");
	if (option_number(colon + 1, (size_t)(end - colon - 1), 1, 65535,
			  &port, why) < 0) {
		errmsg_prefix(why, "port: ");
		return -EINVAL;
	}
	len = (size_t)(colon - text);
	if (len >= 2 && text[0] == '[' && colon[-1] == ']') {
		text++;
		len -= 2;
	}
	if (len > RIST_HOST_MAX)
		return errmsg_fail(why, -EINVAL,
				   "host: is longer than %d bytes",
				   RIST_HOST_MAX);
	if (len == 0 && !p->listens)
		return errmsg_fail(why, -EINVAL, "host: is missing");
	memcpy(p->host, text, len);
	p->port = (uint16_t)port;
	return 0;
}

static int read_peers(const char *text, size_t len, struct rist_spec *s,
		      struct errmsg *why)
{
	const char *end = text + len;

	for (;;) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		size_t n = (size_t)((comma != NULL ? comma : end) - text);
		int r;

		if (s->n_peers == RIST_PEERS_MAX)
			return errmsg_fail(why, -EINVAL,
					   "host: there are more than %d",
					   RIST_PEERS_MAX);
		r = read_peer(text, n, &s->peers[s->n_peers++], why);
		if (r < 0 || comma == NULL)
			return r;
		text = comma + 1;
	}
}

static int read_rist(const struct address *a, struct target *t,
		     struct errmsg *why)
{
	const char *query = strchr(a->target, '?');
	const char *profile = address_option(a, "profile");
	int r;

	*t->rist = (struct rist_spec){
		.buffer_ms = RIST_BUFFER_DEFAULT_MS,
		.key_bits = 128,
	};
	r = read_peers(a->target, strcspn(a->target, "?"), t->rist, why);
	if (r == 0 && query != NULL)
		r = io_query_read(query + 1, read_parameter, t, why);
	if (r == 0 && profile != NULL)
		r = read_profile(profile, t->rist, why);
	return r;
}

static int read_input(const struct address *a, struct input_spec *spec,
		      struct errmsg *why)
{
	struct target t = { input_options, spec, &spec->rist };

	return read_rist(a, &t, why);
}

static int read_output(const struct address *a, struct output_spec *spec,
		       struct errmsg *why)
{
	struct target t = { output_options, spec, &spec->rist };

	return read_rist(a, &t, why);
}

static int judge(const struct rist_spec *s, struct errmsg *why)
{
	if (s->key_bits != 128 && s->key_bits != 256)
		return errmsg_fail(why, -EINVAL,
				   "aes-type: %u is not 128 or 256",
				   s->key_bits);
	if (s->simple && s->secret[0] != '\0')
		return errmsg_fail(why, -EINVAL, "secret: there is none in "
				   "the simple profile");
	/* the next one is for RTCP */
	for (size_t i = 0; s->simple && i < s->n_peers; i++)
		if (s->peers[i].port % 2 != 0)
			return errmsg_fail(why, -EINVAL, "port: %u is odd, "
					   "which the simple profile does not "
					   "have", s->peers[i].port);
	return 0;
}

static int judge_input(const struct input_spec *spec, struct errmsg *why)
{
	return judge(&spec->rist, why);
}

static int judge_output(const struct output_spec *spec, struct errmsg *why)
{
	return judge(&spec->rist, why);
}

const struct input_type input_rist_type = {
	.name = "rist",
	.kind = INPUT_RIST,
	.net = true,
	.read = read_input,
	.options = input_options,
	.judge = judge_input,
};

const struct output_type output_rist_type = {
	.name = "rist",
	.kind = OUTPUT_RIST,
	.net = true,
	.read = read_output,
	.options = output_options,
	.judge = judge_output,
};
