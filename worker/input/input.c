/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/input.h"

#include "worker/input/input_type.h"
#include "worker/input/redundant_paths.h"
#include "worker/input/udp_flow.h"

#include <errno.h>

enum {
	/* first bytes of each type's struct that are prefetched */
	WARM_HEAD = 128,
	WARM_DATAGRAMS = 8, /* datagrams in a tick of most streams */
};

struct input *input_open(const struct input_spec *spec, uint64_t now_ns,
			 int *ret_err, struct errmsg *error)
{
	input_open_fn *open = input_openers[spec->kind];

	/* the RTP input merges its paths itself, by sequence numbers */
	if (spec->merge[0] != '\0' && spec->kind != INPUT_RTP)
		open = merge_input_open;
	if (open != NULL)
		return open(spec, now_ns, ret_err, error);
	*ret_err = errmsg_fail(error, -ENOTSUP, "this program does not support "
			       "the type of the input");
	return NULL;
}

void input_free(struct input **in)
{
	if (*in != NULL)
		(*in)->ops->free(*in);
	*in = NULL;
}

bool input_hangs(const struct input *in, uint64_t now_ns)
{
	return in->ops->hangs != NULL && in->ops->hangs(in, now_ns);
}

int input_read(struct input *in, struct batch *batch, uint64_t now_ns,
	       struct errmsg *error)
{
	return in->ops->read(in, batch, now_ns, error);
}

bool input_reopens(const struct input *in)
{
	return in->ops->reopens;
}

int input_renew(struct input *in, uint64_t now_ns, struct errmsg *error)
{
	return in->ops->renew != NULL ? in->ops->renew(in, now_ns, error)
				      : -ENOTSUP;
}

void input_choose(struct input *in, const struct program_choice *choice)
{
	if (in->ops->choose != NULL)
		in->ops->choose(in, choice);
}

const struct ts_skips *input_skips(const struct input *in)
{
	return in->ops->skips != NULL ? in->ops->skips(in) : NULL;
}

void input_warm(const struct input *in, struct prefetch *w)
{
	prefetch_add(w, in, WARM_HEAD);
	if (in->ops->warm != NULL)
		in->ops->warm(in, w);
	if (in->flow == NULL || in->flow->receiver == NULL)
		return;
	prefetch_add(w, in->flow, offsetof(struct udp_flow, iat_report));
	receiver_warm(in->flow->receiver, WARM_DATAGRAMS, w);
}

int input_fd(const struct input *in)
{
	return in->fd;
}

bool input_is_roomy(const struct input *in)
{
	if (in->inner != NULL)
		return input_is_roomy(in->inner);
	if (in->ops->roomy)
		return true;
	return in->flow != NULL && (in->paths == NULL || in->paths->n == 1) &&
	       udp_flow_is_roomy(in->flow);
}

int input_every_second(struct input *in, uint64_t now_ns, struct errmsg *error)
{
	return in->ops->every_second != NULL
		       ? in->ops->every_second(in, now_ns, error) : 0;
}

void input_counters(const struct input *in, struct input_counters *ret)
{
	*ret = (struct input_counters){ 0 };
	if (in->inner != NULL)
		input_counters(in->inner, ret);
	else if (in->ops->counters != NULL)
		in->ops->counters(in, ret);
}

struct link_stats input_stats(const struct input *in)
{
	struct link_stats stats = { 0 };

	if (in->inner != NULL)
		return input_stats(in->inner);
	if (in->ops->stats != NULL)
		in->ops->stats(in, &stats);
	else if (in->flow != NULL)
		udp_flow_stats(in->flow, &stats);
	return stats;
}

const char *input_error(const struct input *in)
{
	if (in->inner != NULL)
		return input_error(in->inner);
	if (in->ops->error != NULL)
		return in->ops->error(in);
	if (in->paths != NULL)
		return redundant_paths_error(in->paths);
	return in->flow != NULL && in->flow->error.text[0] != '\0'
		       ? in->flow->error.text : NULL;
}

const char *input_unprotected(const struct input *in)
{
	if (in->inner != NULL)
		return input_unprotected(in->inner);
	if (in->ops->unprotected != NULL)
		return in->ops->unprotected(in);
	return in->paths != NULL && in->paths->unprotected
		       ? in->paths->error.text : NULL;
}

const char *input_senders(const struct input *in)
{
	const char *senders = "";

	if (in->inner != NULL)
		return input_senders(in->inner);
	if (in->paths != NULL)
		senders = in->paths->senders.text;
	else if (in->flow != NULL)
		senders = in->flow->senders.text;
	return senders[0] != '\0' ? senders : NULL;
}

uint64_t input_position(const struct input *in)
{
	return in->ops->position != NULL ? in->ops->position(in) : 0;
}

bool input_is_ready(const struct input *in)
{
	return in->ops->is_ready != NULL ? in->ops->is_ready(in) : in->fd >= 0;
}

bool input_is_calling(const struct input *in)
{
	return in->ops->is_ready != NULL && !in->ops->is_ready(in);
}

bool input_can_be_silent(const struct input *in)
{
	if (in->ops->never_silent ||
	    (in->flow != NULL && udp_flow_is_cut_off(in->flow)))
		return false;
	if (in->ops->can_be_silent != NULL)
		return in->ops->can_be_silent(in);
	return in->ops->peer == NULL || in->ops->peer(in) != NULL;
}

const char *input_peer(const struct input *in)
{
	return in->ops->peer != NULL ? in->ops->peer(in) : NULL;
}

const struct iat_in_report *input_iat_in(struct input *in, uint64_t now_ns)
{
	struct udp_flow *f = in->flow;

	if (f == NULL)
		return NULL;
	f->asked_ns = now_ns;
	return f->iat_report.at_ns != 0 ? &f->iat_report : NULL;
}
