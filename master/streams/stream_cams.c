/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connects a stream with its softcams, and lists the programs that it reads
 * from adapters and that their modules (CAM) descramble. */
#include "common/supervise/worker_proc.h"
#include "master/streams/adapter_programs.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/channel.h"

#include <string.h>

static void send_to_worker(const struct msg *m, void *arg)
{
	const struct stream_proc *p = arg;
	struct channel *channel = worker_proc_channel(p->proc);

	if (p->started && channel != NULL)
		(void)channel_send(channel, m, NULL, 0);
}

void stream_cams_init(struct stream_proc *p)
{
	p->cams.send = send_to_worker;
	p->cams.arg = p;
}

void stream_cams_use(struct stream_proc *p, bool run)
{
	struct softcam_user *u = &p->cams;

	u->stream = p->id;
	u->n = run && p->plan != NULL ? p->plan->n_cams : 0;
	if (u->n > 0)
		memcpy(u->ids, p->plan->cams, sizeof u->ids);
	softcams_use(p->cfg.softcams, u);
}

void stream_cams_up(struct stream_proc *p)
{
	p->cams.up = true;
	softcams_user_up(p->cfg.softcams, &p->cams);
}

size_t stream_proc_modules(const struct stream_proc *p, const char *link,
			   uint16_t *ret, size_t n, size_t max)
{
	return stream_proc_reads(p, link)
		       ? stream_plan_modules(p->plan, link, ret, n, max) : n;
}

void stream_proc_add_programs(const struct stream_proc *p, const char *link,
			      struct msg_adapter_programs *ret)
{
	if (!stream_proc_reads(p, link))
		return;
	for (size_t i = 0; i < p->plan->programs.n; i++) {
		uint16_t pnr = p->plan->programs.list[i].pnr;
		uint16_t at = p->plan->programs.list[i].link;
		const uint16_t *pids = p->plan->programs.list[i].pids;

		if (strcmp(p->plan->links.ids[at], link) != 0)
			continue;
		adapter_programs_add(ret, pnr);
		ret->emms |= p->plan->programs.list[i].emms;
		for (size_t k = 0; k < INPUT_CONF_PIDS; k++)
			adapter_programs_add_pid(ret, pids[k]);
	}
}
