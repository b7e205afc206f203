/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output by RIST to all its peers.
 *
 * librist copies each packet and sends it in its own thread.
 */
#include "common/base/alloc.h"
#include "worker/output/output_type.h"
#include "worker/net/rist/rist_link.h"
#include "worker/output/admission.h"
#include "worker/rtp/datagrams.h"

#include <errno.h>
#include <stdlib.h>

struct rist_output {
	struct output base;
	struct rist_link link;
	struct errmsg error; /* why the output must be opened again */
	int state;            /* result of the last rist_link_turn() */
	bool listens;
	bool closed;          /* callers need a permission, so they are
			       * refused */
};

static void turn(struct rist_output *o)
{
	if (o->state >= 0)
		o->state = rist_link_turn(&o->link, &o->error);
}

static void rist_output_send(struct output *out, const struct ts_run *runs,
			     size_t n_runs, uint64_t now_ns)
{
	struct rist_output *o = container_of(out, struct rist_output, base);
	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs };
	struct output_counters *c = &out->counters;
	uint8_t buf[DATAGRAM_SIZE_MAX];
	struct datagrams d;

	(void)now_ns;
	turn(o);
	while (datagrams_cut(&d, &cursor, NULL)) {
		if (o->state <= 0)
			c->dropped += d.n_packets;
		for (size_t i = 0; i < d.n && o->state > 0; i++) {
			struct rist_data_block block = { 0 };
			bool taken;

			block.payload = datagram_gather(&d, i, buf,
							&block.payload_len);
			taken = rist_sender_data_write(o->link.ctx, &block) ==
				(int)block.payload_len;
			/* librist also accepts packets while no peer is
			 * connected.  These count as dropped if a peer is
			 * expected, and otherwise not at all. */
			if (taken && o->link.reaches)
				c->packets += block.payload_len / TS_PACKET;
			else if (!taken || !rist_link_waits(&o->link))
				c->dropped += block.payload_len / TS_PACKET;
		}
	}
}

static int rist_output_every_second(struct output *out, struct errmsg *error)
{
	struct rist_output *o = container_of(out, struct rist_output, base);

	turn(o);
	rist_link_every_second(&o->link);
	if (o->state < 0)
		*error = o->error;
	return MIN(o->state, 0);
}

/* Applies a change of the authorization rules.  Callers are refused if they
 * need a permission, because RIST has no credential, and librist requires the
 * decision at once.  Connected callers are disconnected when the link is opened
 * again. */
static void rist_output_review(struct output *out, uint64_t client)
{
	struct rist_output *o = container_of(out, struct rist_output, base);
	bool closed = o->listens && !out->spec->no_auth &&
		      out->asker->authorize;

	(void)client;
	if (closed == o->closed)
		return;
	o->closed = closed;
	rist_peers_close(&o->link.peers, closed);
	if (closed)
		o->state = errmsg_fail(&o->error, -EACCES, "reopening: "
				       "auth.enable is true now: callers "
				       "without no_auth are disconnected");
}

static void rist_output_stats(const struct output *out,
			      struct link_stats *ret)
{
	*ret = container_of(out, const struct rist_output, base)->link.stats;
}

static const char *rist_output_error(const struct output *out)
{
	return rist_link_error(
		&container_of(out, const struct rist_output, base)->link);
}

static bool rist_output_is_cut(const struct output *out)
{
	return rist_link_is_cut(
		&container_of(out, const struct rist_output, base)->link);
}

static const char *rist_output_part_error(const struct output *out)
{
	return rist_link_path_error(
		&container_of(out, const struct rist_output, base)->link);
}

static const char *rist_output_peer(const struct output *out)
{
	return rist_link_peer(
		&container_of(out, const struct rist_output, base)->link);
}

static void rist_output_free(struct output *out)
{
	struct rist_output *o = container_of(out, struct rist_output, base);

	rist_link_close(&o->link);
	free(o);
}

static const struct output_ops rist_ops = {
	.free = rist_output_free,
	.send = rist_output_send,
	.every_second = rist_output_every_second,
	.stats = rist_output_stats,
	.error = rist_output_error,
	.is_disconnected = rist_output_is_cut,
	.part_error = rist_output_part_error,
	.peer = rist_output_peer,
	.review = rist_output_review,
};

struct output *rist_output_open(const struct output_spec *spec, int *ret_err,
				struct errmsg *error)
{
	struct rist_output *o = xcalloc(1, sizeof *o);

	(void)ret_err, (void)error;
	o->base = (struct output){ .ops = &rist_ops, .spec = spec };
	rist_link_open(&o->link, &spec->rist, RIST_SENDS);
	for (size_t i = 0; i < spec->rist.n_peers; i++)
		o->listens = o->listens || spec->rist.peers[i].listens;
	o->closed = o->listens && !spec->no_auth;
	rist_peers_close(&o->link.peers, o->closed);
	return &o->base;
}
