/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/sap_task.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/scan/session_table.h"
#include "worker/scan/sap_socket.h"
#include "worker/core/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 100,
	TELL_MAX = 32,  /* places in one tick */
	LOOK_S = 5,     /* at the interfaces, so often */
};

struct listening {
	struct worker *worker;
	struct announced *table;
	struct ears *ears;
	ev_timer tick;
	uint64_t now_ns;
	uint64_t second_ns;  /* when the next one begins */
	unsigned seconds;
	uint64_t packets;
	uint64_t refused;    /* of them */
	struct errmsg last;  /* why the last of those was */
	struct errmsg error; /* nothing can be heard */
};

static void on_packet(const struct announced_packet *p, void *arg)
{
	struct listening *l = arg;
	struct errmsg why = { 0 };
	char sender[SOCKADDR_TEXT_MAX];

	l->packets++;
	if (announced_feed(l->table, p, l->now_ns, &why) == 0)
		return;
	l->refused++;
	sockaddr_format_host(p->sender, sender);
	errmsg_set(&l->last, "%s on %s: %.160s", sender, p->iface, why.text);
}

/* While the master does not read, nothing is told: it is not forgotten. */
static void tell_places(struct listening *l)
{
	struct msg m = { .type = MSG_SCAN_ANNOUNCEMENT };
	struct announced_place p;

	for (size_t i = 0; i < TELL_MAX; i++) {
		if (!channel_is_idle(l->worker->channel) ||
		    !announced_next(l->table, l->now_ns, &p))
			return;
		m.scan_announcement = (struct msg_scan_announcement){
			.place = p.number,
			.iface = p.iface,
			.sender = p.sender,
			.name = p.name,
			.input = p.input,
			.note = p.note,
		};
		(void)channel_send(l->worker->channel, &m, NULL, 0);
	}
}

static void tell_status(struct listening *l)
{
	struct msg m = { .type = MSG_SCAN_STATUS };
	struct errmsg refused;

	m.scan_status.packets = l->packets;
	if (l->error.text[0] != '\0') {
		m.scan_status.error = l->error.text;
	} else if (l->refused > 0) {
		errmsg_set(&refused, "%" PRIu64 " packets were refused, the "
			   "last of %s", l->refused, l->last.text);
		m.scan_status.error = refused.text;
	}
	(void)channel_send(l->worker->channel, &m, NULL, 0);
}

static void second(struct listening *l)
{
	l->second_ns = l->now_ns + SECOND_NS;
	if (l->seconds++ % LOOK_S == 0) {
		l->error.text[0] = '\0';
		(void)!ears_look(l->ears, &l->error);
	}
	announced_age(l->table, l->now_ns);
	tell_status(l);
}

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct listening *l = container_of(timer, struct listening, tick);

	(void)loop, (void)revents;
	l->now_ns = mono_ns();
	ears_read(l->ears, on_packet, l);
	tell_places(l);
	if (l->now_ns >= l->second_ns)
		second(l);
}

struct listening *listening_new(struct worker *worker)
{
	struct listening *l = xcalloc(1, sizeof *l);

	l->worker = worker;
	l->table = announced_new();
	l->ears = ears_new();
	l->now_ns = mono_ns();
	second(l);
	ev_timer_init(&l->tick, on_tick, 0., TICK_MS / 1e3);
	ev_timer_start(worker->loop, &l->tick);
	return l;
}

void listening_free(struct listening **lp)
{
	struct listening *l = *lp;

	*lp = NULL;
	if (l == NULL)
		return;
	ev_timer_stop(l->worker->loop, &l->tick);
	ears_free(&l->ears);
	announced_free(&l->table);
	free(l);
}
