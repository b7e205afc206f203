/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/querier_proc.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"

#include <stdlib.h>

struct querier_proc {
	struct service_proc *service;
	struct queriers *queriers;
	bool logged; /* the worker's error was logged */
	uint64_t since_ms; /* monotonic time at which this master started */
};

/* A new worker has said hello.  It needs no start message. */
static void on_hello(void *self)
{
	(void)self;
}

static void on_message(const struct msg *m, void *self)
{
	const struct msg_querier_status *s = &m->querier_status;
	struct querier_proc *p = self;
	uint64_t now_ms = mono_ms();
	const char *error;

	if (m->type != MSG_QUERIER_STATUS)
		return;
	error = s->igmp_error != NULL ? s->igmp_error : s->mld_error;
	if (error != NULL && !p->logged) {
		p->logged = true;
		log_warning("querier", "cannot detect %s queriers: %s",
			    s->igmp_error == NULL  ? "MLD"
			    : s->mld_error == NULL ? "IGMP"
						   : "IGMP and MLD",
			    error);
	}
	queriers_update(p->queriers, s, now_ms);
	/* the inputs of adopted streams report their groups only after a
	 * while: keep an adopted worker for that time */
	if (!queriers_in_use(p->queriers, now_ms) &&
	    now_ms - p->since_ms > QUERIERS_KEPT_MS)
		service_proc_unwant(p->service);
}

static void on_down(void *self)
{
	struct querier_proc *p = self;

	queriers_reset(p->queriers);
}

static const struct service_kind kind = {
	.role = "querier",
	.beat = MSG_QUERIER_STATUS,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_down = on_down,
};

struct querier_proc *querier_proc_new(const struct service_config *cfg,
				      unsigned timeout_s)
{
	struct querier_proc *p = xcalloc(1, sizeof *p);

	p->since_ms = mono_ms();
	p->queriers = queriers_new(timeout_s);
	p->service = service_proc_new(cfg, &kind, "1", p);
	return p;
}

void querier_proc_free(struct querier_proc **querier)
{
	struct querier_proc *p = *querier;

	*querier = NULL;
	if (p == NULL)
		return;
	service_proc_free(&p->service);
	queriers_free(&p->queriers);
	free(p);
}

struct service_proc *querier_proc_service(struct querier_proc *p)
{
	return p->service;
}

json_t *querier_proc_write(struct querier_proc *p, struct handover *h)
{
	json_t *record = service_proc_write(p->service, h);

	(void)json_object_set_new(record, "ways",
				  queriers_write(p->queriers, mono_ms()));
	return record;
}

void querier_proc_adopt(struct querier_proc *p, const json_t *record,
			struct handover *h)
{
	service_proc_adopt(p->service, record, h, true);
	queriers_take(p->queriers, json_object_get(record, "ways"), mono_ms());
}

void querier_proc_use(struct querier_proc *p, struct querier_net net,
		      uint64_t now_ms)
{
	if (queriers_timeout_s(p->queriers) == 0)
		return;
	queriers_use(p->queriers, net, now_ms);
	service_proc_want(p->service);
}

struct queriers *querier_proc_known(struct querier_proc *p)
{
	return p->queriers;
}
