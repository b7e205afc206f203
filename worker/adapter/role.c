/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `adapter`: one multiplex, from its source to the ring that streams
 * read. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ring.h"
#include "common/base/units.h"
#include "proto/ipc/contract.h"
#include "worker/adapter/adapter_grants.h"
#include "worker/adapter/cam_source.h"
#include "worker/adapter/source.h"
#include "worker/core/worker.h"
#include "worker/input/input_type.h"
#include "worker/stream/ticker.h"
#include "worker/ts/packet.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum {
	/* The tick, which streams have, too.  The adapter reads LEAD_MS before
	 * each tick, so that streams find the packets in the ring at the
	 * tick. */
	TICK_MS = 10,
	/* the tick of a source whose packets cannot wait longer, or that has
	 * slots (source_is_roomy() is false) */
	TICK_SHORT_MS = 5,
	LEAD_MS = 2,
	READS_MAX = 16, /* at most so many calls of read() in a tick */
	SLOTS_MS = 250, /* pause between reports of the CAM slots */
};

struct adapter {
	struct worker *worker;
	json_t *entry;          /* NULL until adapter.start */
	struct source *source;
	struct ring_writer *ring;
	struct batch batch;
	struct ticker ticker;
	bool ticking;           /* the ticker was made */
	uint64_t second_ns;     /* start of the current second */
	uint64_t slots_ns;      /* time of the next report of slots */
	uint64_t packets;       /* packets of the current second */
	uint64_t content;       /* those of `packets' that are not null
				 * packets */
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct adapter *a = arg;

	for (size_t i = 0; i < n_runs; i++) {
		const uint8_t *p = runs[i].data;
		size_t n = runs[i].n;

		a->packets += n;
		for (size_t k = 0; k < n; k++)
			a->content += ts_pid(p + k * TS_PACKET) != TS_PID_NULL;
		ring_write(a->ring, p, n);
	}
}

static void every_second(struct adapter *a, uint64_t now_ns)
{
	struct msg m = { .type = MSG_ADAPTER_STATUS };
	uint64_t ms = (now_ns - a->second_ns) / MS;
	struct source_report report = { 0 };

	a->source->ops->every_second(a->source, now_ns, &report);
	m.adapter_status = source_report_message(&report);
	m.adapter_status.on_air = a->content > 0;
	m.adapter_status.bitrate_kbps =
		(uint32_t)(a->packets * TS_PACKET * 8 / ms);
	/* if the channel is full, the channel counts the status as dropped */
	(void)channel_send(a->worker->channel, &m, NULL, 0);
	a->second_ns = now_ns;
	a->packets = a->content = 0;
	if (report.renew)
		worker_exit(a->worker, EX_TEMPFAIL);
}

static void on_tick(void *arg)
{
	struct adapter *a = arg;
	uint64_t now_ns = mono_ns();

	for (unsigned i = 0; i < READS_MAX; i++)
		if (a->source->ops->read(a->source, &a->batch, now_ns) <= 0 ||
		    source_is_roomy(a->source))
			break;
	ring_publish(a->ring);
	ticker_every(&a->ticker, (source_is_roomy(a->source)
				  ? TICK_MS : TICK_SHORT_MS) * MS, now_ns);
	if (now_ns >= a->slots_ns) {
		struct msg m = { .type = MSG_ADAPTER_SLOT };

		for (unsigned i = 0; i < MSG_CAM_SLOTS; i++)
			if (cam_source_take(a->source->cam, i, &m.adapter_slot))
				(void)channel_send(a->worker->channel, &m,
						   NULL, 0);
		a->slots_ns = now_ns + SLOTS_MS * MS;
	}
	if (now_ns - a->second_ns >= SECOND_NS)
		every_second(a, now_ns);
}

static void *adapter_new(struct worker *worker)
{
	struct adapter *a = xcalloc(1, sizeof *a);

	a->worker = worker;
	batch_init(&a->batch, on_packets, a);
	return a;
}

static void adapter_free(void *role)
{
	struct adapter *a = role;

	if (a->ticking)
		ticker_done(&a->ticker);
	if (a->source != NULL)
		a->source->ops->free(a->source);
	ring_writer_free(&a->ring);
	json_decref(a->entry);
	free(a);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct adapter *a = role;
	const json_t *entry = m->adapter_start.entry;
	struct grants grants;
	int err = 0;

	(void)n_fds; /* the message catalogue checks that there is one
		      * descriptor */
	if (a->entry != NULL) {
		log_error("adapter", "protocol error: second task received: "
			  "this process exits");
		worker_exit(a->worker, EX_PROTOCOL);
		return;
	}
	/* only an address may name a port below 1024; a SAT>IP server must not
	 * choose such a port */
	if (json_object_get(entry, "address") == NULL &&
	    !worker_drop_capabilities(a->worker))
		return;
	/* libraries that resolve names are linked into only one of the two
	 * worker programs */
	adapter_grants(entry, input_openers[INPUT_HTTP] != NULL, &grants);
	if (!worker_enter_sandbox(a->worker, &grants))
		return;
	a->ring = ring_writer_new(fds[0], &err);
	if (a->ring == NULL) {
		log_error("adapter", "cannot use the ring buffer of the "
			  "adapter: %s", strerror(-err));
		worker_exit(a->worker, EX_OSERR);
		return;
	}
	a->entry = json_deep_copy(entry);
	a->second_ns = mono_ns();
	a->source = source_open(a->entry, a->worker->loop, a->second_ns);
	ticker_init(&a->ticker, &(struct ticker_config){
		.loop = a->worker->loop, .on_tick = on_tick, .arg = a,
		.lead_ns = LEAD_MS * MS });
	a->ticking = true;
	ticker_every(&a->ticker, TICK_SHORT_MS * MS, a->second_ns);
	worker_send_ready(a->worker);
}

static void on_tune(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct adapter *a = role;
	json_t *entry = json_deep_copy(m->adapter_tune.entry);

	(void)fds, (void)n_fds;
	if (a->source == NULL || !source_retune(a->source, entry)) {
		log_error("adapter", "protocol error: this adapter cannot be "
			  "retuned without a new process: this process exits");
		json_decref(entry);
		worker_exit(a->worker, EX_PROTOCOL);
		return;
	}
	json_decref(a->entry);
	a->entry = entry;
}

static void on_cam(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct adapter *a = role;

	(void)fds, (void)n_fds;
	if (a->source != NULL)
		cam_source_want(a->source->cam, &m->adapter_cam);
}

static void on_link(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct adapter *a = role;
	int fd = n_fds > 0 ? fds[0] : -1;

	if (a->source == NULL ||
	    !source_link(a->source, m->stream_link.stream, fd))
		return;
	/* the source owns the descriptor now, so the caller must not close
	 * it */
	if (n_fds > 0)
		fds[0] = -1;
}

static void on_rename(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct adapter *a = role;

	(void)fds, (void)n_fds;
	if (a->source != NULL)
		source_rename(a->source, m->stream_rename.from,
			      m->stream_rename.to);
}

static void on_menu(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct adapter *a = role;

	(void)fds, (void)n_fds;
	if (a->source != NULL)
		cam_source_act(a->source->cam, &m->adapter_menu);
}

static void on_programs(void *role, const struct msg *m, int *fds,
			size_t n_fds)
{
	struct adapter *a = role;

	(void)fds, (void)n_fds;
	if (a->source != NULL)
		source_choose(a->source, &m->adapter_programs);
}

const struct worker_role adapter_role = {
	.name = "adapter",
	.needs = NEED_THREADS,
	.enters_late = true,
	.new = adapter_new,
	.free = adapter_free,
	.messages = { [MSG_ADAPTER_START] = on_start,
		      [MSG_ADAPTER_TUNE] = on_tune,
		      [MSG_ADAPTER_CAM] = on_cam,
		      [MSG_ADAPTER_MENU] = on_menu,
		      [MSG_STREAM_LINK] = on_link,
		      [MSG_STREAM_RENAME] = on_rename,
		      [MSG_ADAPTER_PROGRAMS] = on_programs },
	/* addresses may name ports below 1024 */
	.capabilities = UINT64_C(1) << CAP_NET_BIND_SERVICE,
};
