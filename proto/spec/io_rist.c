/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rist://host:port calls, rist://@[address]:port waits to be called; several
 * peers stand behind commas.  The parameters of other programs' addresses
 * ("?secret=…") are taken too.
 */
#include "proto/spec/io_type.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_MAX_MS = 30000, PROFILES = 2 };

/* librist's own numbers are taken too */
static const char *const profiles[] = {
	[RIST_MAIN] = "main",
	[RIST_SIMPLE] = "simple",
	[PROFILES + RIST_MAIN] = "1",
	[PROFILES + RIST_SIMPLE] = "0",
	NULL,
};

#define RIST_OPTIONS(OF) \
	{ "buffer", IO_NUMBER, OF(rist.buffer_ms), 1, BUFFER_MAX_MS }, \
	{ "secret", IO_TEXT, OF(rist.secret), 1, RIST_SECRET_MAX }, \
	{ "aes-type", IO_NUMBER, OF(rist.key_bits), 0, UINT32_MAX }, \
	{ "cname", IO_TEXT, OF(rist.cname), 1, RIST_CNAME_MAX }, \
	{ "profile", IO_WORD, OF(rist.profile), 0, PROFILES }, \
	{ 0 }

static const struct io_option input_options[] = { RIST_OPTIONS(IO_INPUT) };
static const struct io_option output_options[] = { RIST_OPTIONS(IO_OUTPUT) };

static const struct io_need needs[] = {
	{ "aes-type", "secret", false },
	{ 0 },
};

/* [@][host]:port */
static int read_peer(const char *text, size_t len, struct rist_peer_spec *p,
		     struct errmsg *why)
{
	struct io_host_port place = { p->host, sizeof p->host, 0 };
	int r;

	p->listens = len > 0 && text[0] == '@';
	r = io_host_port_read(text + p->listens, len - p->listens, &place,
			      why);
	if (r < 0)
		return r;
	p->port = place.port;
	if (p->host[0] == '\0' && !p->listens)
		return errmsg_fail(why, -EINVAL, "host: is missing");
	return 0;
}

static int read_rist(const char *text, size_t len, void *part,
		     struct errmsg *why)
{
	struct rist_spec *s = part;
	const char *end = text + len;

	*s = (struct rist_spec){
		.buffer_ms = RIST_BUFFER_DEFAULT_MS,
		.key_bits = 128,
	};
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

/* Of those who are called two may be one: it is no use, but it works. */
static int judge_places(const struct rist_spec *s, struct errmsg *why)
{
	for (size_t i = 1; i < s->n_peers; i++)
		for (size_t k = 0; k < i; k++)
			if (s->peers[i].listens && s->peers[k].listens &&
			    s->peers[i].port == s->peers[k].port &&
			    strcmp(s->peers[i].host, s->peers[k].host) == 0)
				return errmsg_fail(why, -EINVAL,
						   "host: @%s:%u is there "
						   "twice", s->peers[i].host,
						   s->peers[i].port);
	return 0;
}

static int judge(const void *part, struct errmsg *why)
{
	const struct rist_spec *s = part;
	bool simple = s->profile == RIST_SIMPLE;

	if (s->key_bits != 128 && s->key_bits != 256)
		return errmsg_fail(why, -EINVAL,
				   "aes-type: %u is not 128 or 256",
				   s->key_bits);
	if (simple && s->secret[0] != '\0')
		return errmsg_fail(why, -EINVAL, "secret: there is none in "
				   "the simple profile");
	/* the next one is for RTCP */
	for (size_t i = 0; simple && i < s->n_peers; i++)
		if (s->peers[i].port % 2 != 0)
			return errmsg_fail(why, -EINVAL, "port: %u is odd, "
					   "which the simple profile does not "
					   "have", s->peers[i].port);
	return judge_places(s, why);
}

/* librist 0.2.7 says nothing to those whom such a one calls, so that nobody can
 * know of it, and ends at the first datagram that comes from there. */
static int judge_input(const void *part, struct errmsg *why)
{
	const struct rist_spec *s = part;
	int r = judge(part, why);

	for (size_t i = 0; r == 0 && i < s->n_peers; i++)
		if (s->profile == RIST_SIMPLE && !s->peers[i].listens)
			r = errmsg_fail(why, -EINVAL, "host: %s is called, "
					"which an input of the simple profile "
					"cannot: it is waited for, behind an @",
					s->peers[i].host);
	return r;
}

static const struct io_link input_link = { read_rist, judge_input, profiles };
static const struct io_link output_link = { read_rist, judge, profiles };

const struct input_type input_rist_type = {
	.name = "rist",
	.kind = INPUT_RIST,
	.net = true,
	.link = &input_link,
	.part = IO_INPUT(rist),
	.options = input_options,
	.needs = needs,
};

const struct output_type output_rist_type = {
	.name = "rist",
	.kind = OUTPUT_RIST,
	.net = true,
	.link = &output_link,
	.part = IO_OUTPUT(rist),
	.options = output_options,
	.needs = needs,
};
