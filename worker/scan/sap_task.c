/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/sap_task.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/timer.h"
#include "proto/spec/io_spec.h"
#include "worker/core/worker.h"
#include "worker/scan/iface_list.h"
#include "worker/scan/session_table.h"
#include "worker/socket/receive_socket.h"

#include <inttypes.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 100,
	REPORTS_MAX = 32, /* reports in a tick */
	UPDATE_S = 5,     /* period of the update of interfaces */
	READS_MAX = 16,   /* reads of a socket in one tick */
	SOCKET_SIZE = 128 * 1024,
	PACKET_MAX = 65536,
};

/* RFC 2974 3: the global group, the highest address of each scope of IPv4, and
 * the same group in each scope of IPv6. */
static const char *const groups[] = {
	"224.2.127.254", "239.255.255.255", "239.195.255.255",
	"ff02::2:7ffe", "ff05::2:7ffe", "ff08::2:7ffe", "ff0e::2:7ffe",
};
_Static_assert(ARRAY_LEN(groups) <= IFACE_SOCKETS_MAX, "sockets");

struct sap_task {
	struct worker *worker;
	struct session_table *table;
	ev_timer tick;
	uint64_t now_ns;
	uint64_t second_ns;  /* start of the next second */
	unsigned seconds;
	uint64_t packets;
	uint64_t rejected;   /* rejected packets */
	struct errmsg last;  /* the reason of the last rejection */
	struct errmsg error; /* of the interfaces; "": none */
	struct iface_list sockets;
	uint8_t packet[PACKET_MAX];
};

static int open_group(const struct iface *iface, size_t i)
{
	struct udp_place place = { .socket_size = SOCKET_SIZE };
	int fd = sockaddr_parse(groups[i], SAP_PORT, &place.local);

	(void)snprintf(place.iface, sizeof place.iface, "%s", iface->name);
	if (fd == 0)
		fd = udp_socket_open(&place, iface->ifindex, NULL);
	if (fd >= 0) /* GRO would join packets of different senders */
		(void)setsockopt(fd, SOL_UDP, UDP_GRO, &(int){ 0 },
				 sizeof(int));
	return fd;
}

/* Reads a limited number of packets: a flood overflows only its own socket. */
static void read_fd(struct sap_task *t, const struct iface *iface, int fd)
{
	struct sockaddr_any from;
	struct session_packet p = { .iface = iface->name, .sender = &from,
				    .data = t->packet };
	char sender[SOCKADDR_TEXT_MAX];

	for (size_t i = 0; i < READS_MAX; i++) {
		struct errmsg error = { 0 };
		ssize_t n;

		from = (struct sockaddr_any){ .len = sizeof from.in6 };
		n = recvfrom(fd, t->packet, sizeof t->packet, MSG_DONTWAIT,
			     &from.sa, &from.len);
		if (n < 0)
			return;
		p.len = (size_t)n;
		t->packets++;
		if (session_table_feed(t->table, &p, t->now_ns, &error) == 0)
			continue;
		t->rejected++;
		sockaddr_format_host(&from, sender);
		errmsg_set(&t->last, "%s on %s: %.160s", sender, p.iface,
			   error.text);
	}
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
	if (t->seconds++ % UPDATE_S == 0 &&
	    iface_list_update(&t->sockets, &t->error) == 0)
		t->error.text[0] = '\0';
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
	const struct iface *ifaces = t->sockets.ifaces;

	(void)loop, (void)revents;
	t->now_ns = mono_ns();
	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < ARRAY_LEN(groups); k++)
			if (ifaces[i].fds[k] >= 0)
				read_fd(t, &ifaces[i], ifaces[i].fds[k]);
	report_sessions(t);
	if (t->now_ns >= t->second_ns)
		every_second(t);
}

struct sap_task *sap_task_new(struct worker *worker)
{
	struct sap_task *t = xcalloc(1, sizeof *t);

	t->worker = worker;
	t->table = session_table_new();
	t->sockets.n = ARRAY_LEN(groups);
	t->sockets.open = open_group;
	iface_list_init(&t->sockets);
	t->now_ns = mono_ns();
	every_second(t);
	ev_init(&t->tick, on_tick);
	timer_repeat(worker->loop, &t->tick, 0., TICK_MS / 1e3);
	return t;
}

void sap_task_free(struct sap_task **tp)
{
	struct sap_task *t = *tp;

	*tp = NULL;
	if (t == NULL)
		return;
	ev_timer_stop(t->worker->loop, &t->tick);
	iface_list_done(&t->sockets);
	session_table_free(&t->table);
	free(t);
}
