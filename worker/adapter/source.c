/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/source.h"

#include "proto/spec/tuner_spec.h"
#include "worker/adapter/address_source.h"
#include "worker/adapter/dvb/dvb_ops.h"
#include "worker/adapter/satip_source.h"
#include "worker/adapter/slot_source.h"
#include "worker/adapter/t2mi_source.h"
#include "worker/adapter/tuner_source.h"

struct source *source_open(const json_t *adapter, struct ev_loop *loop,
			   uint64_t now_ns)
{
	source_open_fn *open = tuner_spec_is(adapter) ? tuner_source_open
			       : json_object_get(adapter, "server") != NULL
				       ? satip_source_open
				       : address_source_open;
	/* the slot is behind the T2-MI: it gets the programs of the PLP */
	struct source *s = t2mi_source_new(adapter,
					   open(adapter, loop, now_ns));

	return slot_source_is(adapter)
		       ? slot_source_new(adapter, s, &dvb_system, NULL) : s;
}

bool source_looks(const struct source *s)
{
	return s->inner != NULL ? source_looks(s->inner) : s->ops->look != NULL;
}

void source_look(struct source *s, struct source_report *ret)
{
	if (s->ops->look != NULL)
		s->ops->look(s, ret);
	else if (s->inner != NULL)
		source_look(s->inner, ret);
}

bool source_retune(struct source *s, const json_t *adapter)
{
	if (s->ops->retune != NULL)
		return s->ops->retune(s, adapter);
	return s->inner != NULL && source_retune(s->inner, adapter);
}

bool source_link(struct source *s, const char *stream, int fd)
{
	if (s->ops->link != NULL)
		return s->ops->link(s, stream, fd);
	return s->inner != NULL && source_link(s->inner, stream, fd);
}

void source_rename(struct source *s, const char *from, const char *to)
{
	if (s->ops->rename != NULL)
		s->ops->rename(s, from, to);
	else if (s->inner != NULL)
		source_rename(s->inner, from, to);
}

bool source_is_roomy(const struct source *s)
{
	if (s->cam != NULL)
		return false;
	if (s->ops->roomy != NULL)
		return s->ops->roomy(s);
	return s->inner != NULL && source_is_roomy(s->inner);
}

void source_choose(struct source *s,
		   const struct msg_adapter_programs *programs)
{
	if (s->ops->choose != NULL)
		s->ops->choose(s, programs);
	else if (s->inner != NULL)
		source_choose(s->inner, programs);
}

struct msg_adapter_status source_report_message(const struct source_report *r)
{
	return (struct msg_adapter_status){
		.lock = r->lock,
		.signal = r->signal,
		.snr = r->snr,
		.lost = r->lost,
		.tuner = {
			.taken = r->dvb.taken,
			.adapter = (uint32_t)r->dvb.adapter,
			.silent = r->silent,
			.status = r->dvb.status,
			.signal = r->dvb.signal_raw,
			.snr = r->dvb.snr_raw,
			.signal_db = r->dvb.signal_db,
			.snr_db = r->dvb.snr_db,
			.ber = r->dvb.ber,
			.unc = r->dvb.unc,
			.ber_is_rate = r->dvb.ber_is_rate,
		},
		.error = r->error,
	};
}
