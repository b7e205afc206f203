/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/output.h"

#include "worker/csa/scrambler.h"
#include "worker/output/admission.h"
#include "worker/output/output_type.h"

#include <errno.h>

struct output *output_open(const struct output_spec *spec, int *ret_err,
			   struct errmsg *error)
{
	output_open_fn *open = output_openers[spec->kind];

	if (open != NULL)
		return open(spec, ret_err, error);
	*ret_err = errmsg_fail(error, -ENOTSUP,
			       "this program has no library for this type");
	return NULL;
}

bool output_stop(struct output *out)
{
	if (out->ops->stop == NULL)
		return false;
	out->ops->stop(out);
	return true;
}

void output_free(struct output **o)
{
	if (*o != NULL)
		(*o)->ops->free(*o);
	*o = NULL;
}

struct send {
	struct output *output;
	uint64_t now_ns;
};

static void send_scrambled(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct send *s = arg;

	s->output->ops->send(s->output, runs, n_runs, s->now_ns);
}

void output_send(struct output *o, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns)
{
	if (o->scrambler != NULL)
		scrambler_feed(o->scrambler, runs, n_runs, now_ns,
			       send_scrambled, &(struct send){ o, now_ns });
	else
		o->ops->send(o, runs, n_runs, now_ns);
}

void output_set_scrambler(struct output *o, struct scrambler *s)
{
	o->scrambler = s;
}

void output_warm(const struct output *o, struct prefetch *w)
{
	/* the cache line after struct output is used by each type */
	prefetch_add(w, o, sizeof *o + PREFETCH_LINE);
}

int output_every_second(struct output *o, struct errmsg *error)
{
	return o->ops->every_second(o, error);
}

int output_follow(struct output *o, struct errmsg *error)
{
	return o->ops->follow != NULL ? o->ops->follow(o, error) : 0;
}

struct output_gap output_gap(const struct output *o)
{
	return o->gap;
}

void output_counters(const struct output *o, struct output_counters *ret)
{
	*ret = o->counters;
}

const struct iat_out *output_iat(const struct output *o)
{
	return &o->iat;
}

void output_resume_rtp(struct output *o, struct rtp_state *state)
{
	if (o->ops->resume_rtp != NULL)
		o->ops->resume_rtp(o, state);
}

struct link_stats output_stats(const struct output *o)
{
	struct link_stats stats = { 0 };

	if (o->ops->stats != NULL)
		o->ops->stats(o, &stats);
	return stats;
}

const char *output_error(const struct output *o)
{
	return o->ops->error != NULL ? o->ops->error(o) : NULL;
}

bool output_is_disconnected(const struct output *o)
{
	return o->ops->is_disconnected != NULL && o->ops->is_disconnected(o);
}

const char *output_part_error(const struct output *o)
{
	return o->ops->part_error != NULL ? o->ops->part_error(o) : NULL;
}

const char *output_peer(const struct output *o)
{
	return o->ops->peer != NULL ? o->ops->peer(o) : NULL;
}

ssize_t output_receivers(const struct output *o, struct msg_receiver *ret,
			 size_t max)
{
	if (o->ops->receivers == NULL)
		return -1;
	return (ssize_t)o->ops->receivers(o, ret, max);
}

bool output_kick(struct output *o, uint64_t client)
{
	return o->ops->kick != NULL && o->ops->kick(o, client);
}

void output_set_asker(struct output *o, struct asker *asker)
{
	o->asker = asker;
	if (!asker->authorize)
		output_review(o, 0);
}

bool output_answer(struct output *o, const struct msg_deliver_answer *a,
		   uint32_t seq)
{
	return o->ops->answer != NULL && o->ops->answer(o, a, seq);
}

void output_review(struct output *o, uint64_t client)
{
	if (o->ops->review != NULL)
		o->ops->review(o, client);
}
