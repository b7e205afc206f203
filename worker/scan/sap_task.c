/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/sap_task.h"

#include "common/base/alloc.h"
#include "proto/spec/io_spec.h"
#include "worker/core/worker.h"
#include "worker/scan/scan_listener.h"
#include "worker/scan/session_table.h"
#include "worker/socket/receive_socket.h"

#include <stdio.h>
#include <stdlib.h>

/* Groups of RFC 2974 3: the global group of IPv4, the highest address of each
 * administrative scope of IPv4, and the SAP group in each scope of IPv6. */
static const char *const groups[] = {
	"224.2.127.254", "239.255.255.255", "239.195.255.255",
	"ff02::2:7ffe", "ff05::2:7ffe", "ff08::2:7ffe", "ff0e::2:7ffe",
};
_Static_assert(ARRAY_LEN(groups) <= IFACE_SOCKETS_MAX, "sockets");

struct sap_task {
	struct session_table *table;
	struct scan_listener listener;
};

static struct sap_task *task_of(struct scan_listener *l)
{
	return container_of(l, struct sap_task, listener);
}

static int open_group(const struct iface *iface, size_t i)
{
	struct udp_place place = { .socket_size = SCAN_LISTENER_SOCKET_SIZE };
	int fd = sockaddr_parse(groups[i], SAP_PORT, &place.local);

	(void)snprintf(place.iface, sizeof place.iface, "%s", iface->name);
	if (fd == 0)
		fd = udp_socket_open(&place, iface->ifindex, NULL);
	return scan_listener_split(fd);
}

static int take(struct scan_listener *l, const struct scan_listener_packet *p,
		struct errmsg *error)
{
	return session_table_feed(task_of(l)->table, &(struct session_packet){
		.iface = p->iface->name, .sender = p->sender,
		.data = p->data, .len = p->len,
	}, l->now_ns, error);
}

/* Reports changed sessions, until messages wait in the channel; the others stay
 * in the table for the next tick. */
static void report_sessions(struct scan_listener *l)
{
	struct msg m = { .type = MSG_SCAN_ANNOUNCEMENT };
	struct session_report r;

	for (size_t i = 0; i < SCAN_LISTENER_REPORTS_MAX; i++) {
		if (!channel_is_idle(l->worker->channel) ||
		    !session_table_next_report(task_of(l)->table, l->now_ns,
					       &r))
			return;
		m.scan_announcement = (struct msg_scan_announcement){
			.place = r.number,
			.iface = r.iface,
			.sender = r.sender,
			.name = r.name,
			.input = r.input,
			.note = r.note,
		};
		(void)channel_send(l->worker->channel, &m, NULL, 0);
	}
}

static void every_second(struct scan_listener *l)
{
	session_table_expire(task_of(l)->table, l->now_ns);
}

static const struct scan_listener_events events = {
	.n = ARRAY_LEN(groups),
	.open = open_group,
	.take = take,
	.tick = report_sessions,
	.second = every_second,
};

struct sap_task *sap_task_new(struct worker *worker)
{
	struct sap_task *t = xcalloc(1, sizeof *t);

	t->table = session_table_new();
	scan_listener_start(&t->listener, worker, &events);
	return t;
}

void sap_task_free(struct sap_task **tp)
{
	struct sap_task *t = *tp;

	*tp = NULL;
	if (t == NULL)
		return;
	scan_listener_stop(&t->listener);
	session_table_free(&t->table);
	free(t);
}
