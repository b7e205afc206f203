/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rist://host:port calls the peer, rist://@[address]:port waits for its call.
 * Several peers are separated by commas.  Options are also accepted as
 * parameters behind '?' ("?secret=…"), as other programs write them.
 */
#include "proto/spec/io_type.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_MAX_MS = 30000, PROFILES = 2 };

/* "0" and "1" are aliases: the numbers of the profiles in librist */
static const char *const profiles[] = {
	[RIST_MAIN] = "main",
	[RIST_SIMPLE] = "simple",
	[PROFILES + RIST_MAIN] = "1",
	[PROFILES + RIST_SIMPLE] = "0",
	NULL,
};

static const char *const key_sizes[] = { "128", "256", NULL };

#define ROWS(spec) \
	{ "buffer", FIELD_AT(spec, rist.buffer_ms), .min = 1, \
	  .max = BUFFER_MAX_MS, .initial = RIST_BUFFER_DEFAULT_MS, \
	  .unit = "ms", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Time to retransmit a lost datagram: delays the stream." }, \
	{ "secret", FIELD_AT(spec, rist.secret), .min = 1, \
	  .flags = FIELD_SECRET, .help = "Password of the encryption." }, \
	{ "aes-type", FIELD_AT(spec, rist.key_bits), .words = key_sizes, \
	  .min = 128, .max = 256, .initial = 128, .unit = "bits", \
	  .needs = "secret", .flags = FIELD_OBSERVER, \
	  .help = "Length of the key: 128 or 256." }, \
	{ "cname", FIELD_AT(spec, rist.cname), .min = 1, \
	  .flags = FIELD_OBSERVER, \
	  .help = "Name of this end, which the peer shows." }, \
	{ "profile", FIELD_AT(spec, rist.profile), .choices = profiles, \
	  .max = PROFILES, .flags = FIELD_OBSERVER, .help = "Profile of RIST." }

static const struct field input_rows[] = {
	ROWS(struct input_spec),
	IO_ROWS_WATCHDOG(0, 0),
};
static const struct field output_rows[] = {
	ROWS(struct output_spec),
	IO_ROW_NO_AUTH,
};
static const struct field_table input_fields = FIELD_TABLE(struct input_spec,
							   input_rows);
static const struct field_table output_fields =
	FIELD_TABLE(struct output_spec, output_rows);

static int read_rist(const char *text, struct rist_spec *s,
		     struct errmsg *error)
{
	const char *end = text + strcspn(text, "?");

	for (;;) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		size_t n = (size_t)((comma != NULL ? comma : end) - text);
		struct io_host_port place;
		struct rist_peer_spec *p;
		int r;

		if (s->n_peers == RIST_PEERS_MAX)
			return errmsg_fail(error, -EINVAL,
					   "host: there are more than %d",
					   RIST_PEERS_MAX);
		p = &s->peers[s->n_peers++];
		place = (struct io_host_port){ p->host, sizeof p->host, 0 };
		p->listens = n > 0 && text[0] == '@';
		r = io_host_port_read(text + p->listens, n - p->listens,
				      &place, error);
		if (r < 0)
			return r;
		p->port = place.port;
		if (p->host[0] == '\0' && !p->listens)
			return errmsg_fail(error, -EINVAL, "host: is missing");
		if (comma == NULL)
			return 0;
		text = comma + 1;
	}
}

static int judge(const struct rist_spec *s, struct errmsg *error)
{
	bool simple = s->profile == RIST_SIMPLE;

	if (simple && s->secret[0] != '\0')
		return errmsg_fail(error, -EINVAL, "secret: the simple profile "
				   "has no encryption");
	/* RTP has an even port and RTCP the next one */
	for (size_t i = 0; simple && i < s->n_peers; i++)
		if (s->peers[i].port % 2 != 0)
			return errmsg_fail(error, -EINVAL, "port: %u is odd, "
					   "which the simple profile does not "
					   "have", s->peers[i].port);
	/* two peers that are called may have the same address, although that is
	 * of no use; two that listen cannot bind the same one */
	for (size_t i = 1; i < s->n_peers; i++)
		for (size_t k = 0; k < i; k++)
			if (s->peers[i].listens && s->peers[k].listens &&
			    s->peers[i].port == s->peers[k].port &&
			    strcmp(s->peers[i].host, s->peers[k].host) == 0)
				return errmsg_fail(error, -EINVAL,
						   "host: @%s:%u is there "
						   "twice", s->peers[i].host,
						   s->peers[i].port);
	return 0;
}

static int read_input(const struct address *a, void *spec, struct errmsg *error)
{
	return read_rist(a->target, &((struct input_spec *)spec)->rist, error);
}

static int finish_input(const struct address *a, void *spec,
			struct errmsg *error)
{
	const struct rist_spec *s = &((struct input_spec *)spec)->rist;
	int r = judge(s, error);

	(void)a;
	/* A receiver of librist 0.2.7 that calls in the simple profile sends
	 * nothing, so the sender does not learn its address.  It also stops at
	 * the first datagram. */
	for (size_t i = 0; r == 0 && i < s->n_peers; i++)
		if (s->profile == RIST_SIMPLE && !s->peers[i].listens)
			r = errmsg_fail(error, -EINVAL, "host: %s is called, "
					"which an input of the simple profile "
					"cannot: it is waited for, behind an @",
					s->peers[i].host);
	return r;
}

static int read_output(const struct address *a, void *spec,
		       struct errmsg *error)
{
	return read_rist(a->target, &((struct output_spec *)spec)->rist, error);
}

static int finish_output(const struct address *a, void *spec,
			 struct errmsg *error)
{
	(void)a;
	return judge(&((struct output_spec *)spec)->rist, error);
}

const struct io_type input_rist_type = {
	.name = "rist",
	.target = "[@][host]:port[,...]",
	.kind = INPUT_RIST,
	.query = true,
	.options = &input_fields,
	.read = read_input,
	.finish = finish_input,
};

const struct io_type output_rist_type = {
	.name = "rist",
	.target = "[@][host]:port[,...]",
	.kind = OUTPUT_RIST,
	.net = true,
	.query = true,
	.options = &output_fields,
	.read = read_output,
	.finish = finish_output,
};
