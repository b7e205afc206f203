/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/sap_task.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/core/worker.h"
#include "worker/scan/sap_socket.h"
#include "worker/scan/session_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 100,
	REPORTS_MAX = 32, /* in one tick */
	UPDATE_S = 5,     /* period of the update of interfaces */
};

struct sap_task {
	struct worker *worker;
	struct session_table *table;
	struct sap_socket *socket;
	ev_timer tick;
	uint64_t now_ns;
	uint64_t second_ns;  /* start of the next second */
	unsigned seconds;
	uint64_t packets;
	uint64_t rejected;   /* of these packets */
	struct errmsg last;  /* the reason of the last rejection */
	struct errmsg error; /* no socket is open */
};

static void on_packet(const struct session_packet *p, void *arg)
{
	struct sap_task *t = arg;
	struct errmsg error = { 0 };
	char sender[SOCKADDR_TEXT_MAX];

	t->packets++;
	if (session_table_feed(t->table, p, t->now_ns, &error) == 0)
		return;
	t->rejected++;
	sockaddr_format_host(p->sender, sender);
	errmsg_set(&t->last, "%s on %s: %.160s", sender, p->iface,
		   error.text);
}

/* Reports wait in the table while the master does not read. */
static void report_sessions(struct sap_task *t)
{
	struct msg m = { .type = MSG_SCAN_ANNOUNCEMENT };
	struct session_report r;

	for (size_t i = 0; i < REPORTS_MAX; i++) {
		if (!channel_is_idle(t->worker->channel) ||
		    !session_table_next_report(t->table, t->now_ns, &r))
			return;
		m.scan_announcement = (struct msg_scan_announcement){
			.place = r.number,
			.iface = r.iface,
			.sender = r.sender,
			.name = r.name,
			.input = r.input,
			.note = r.note,
		};
		(void)channel_send(t->worker->channel, &m, NULL, 0);
	}
}

static void every_second(struct sap_task *t)
{
	struct msg m = { .type = MSG_SCAN_STATUS };
	struct errmsg rejected;

	t->second_ns = t->now_ns + SECOND_NS;
	if (t->seconds++ % UPDATE_S == 0) {
		t->error.text[0] = '\0';
		(void)!sap_socket_update(t->socket, &t->error);
	}
	session_table_expire(t->table, t->now_ns);
	m.scan_status.packets = t->packets;
	if (t->error.text[0] != '\0') {
		m.scan_status.error = t->error.text;
	} else if (t->rejected > 0) {
		errmsg_set(&rejected, "%" PRIu64 " packets rejected; the last "
			   "from %s", t->rejected, t->last.text);
		m.scan_status.error = rejected.text;
	}
	(void)channel_send(t->worker->channel, &m, NULL, 0);
}

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct sap_task *t = container_of(timer, struct sap_task, tick);

	(void)loop, (void)revents;
	t->now_ns = mono_ns();
	sap_socket_read(t->socket, on_packet, t);
	report_sessions(t);
	if (t->now_ns >= t->second_ns)
		every_second(t);
}

struct sap_task *sap_task_new(struct worker *worker)
{
	struct sap_task *t = xcalloc(1, sizeof *t);

	t->worker = worker;
	t->table = session_table_new();
	t->socket = sap_socket_new();
	t->now_ns = mono_ns();
	every_second(t);
	ev_timer_init(&t->tick, on_tick, 0., TICK_MS / 1e3);
	ev_timer_start(worker->loop, &t->tick);
	return t;
}

void sap_task_free(struct sap_task **tp)
{
	struct sap_task *t = *tp;

	*tp = NULL;
	if (t == NULL)
		return;
	ev_timer_stop(t->worker->loop, &t->tick);
	sap_socket_free(&t->socket);
	session_table_free(&t->table);
	free(t);
}
