/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/satip_task.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/timer.h"
#include "worker/core/worker.h"
#include "worker/scan/iface_list.h"
#include "worker/scan/server_fetch.h"
#include "worker/scan/server_table.h"
#include "worker/scan/ssdp_message.h"
#include "worker/socket/receive_socket.h"

#include <errno.h>
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
	TTL = 2,          /* UPnP Device Architecture 1.1, 1.3.2 */
	/* A search is repeated in its first seconds: UDP loses datagrams. */
	SEARCHES = 3,
	SEARCH_S = 30,    /* period of the searches */
};

/* The sockets of an interface. */
enum { NOTIFIED, SEARCHING, SOCKETS };

struct satip_task {
	struct worker *worker;
	struct server_table *table;
	struct server_fetches *fetches; /* NULL: libcurl cannot start */
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

/* Replies come to the port of the search. */
static int open_search(const struct iface *iface)
{
	const struct ip_mreqn where = { .imr_ifindex = (int)iface->ifindex };
	struct udp_place place = { .local = iface->v4,
				   .socket_size = SOCKET_SIZE };
	int fd;

	if (iface->v4.len == 0)
		return -EADDRNOTAVAIL;
	sockaddr_set_port(&place.local, 0);
	/* the reply of a server on this host counts as one of this interface */
	fd = udp_socket_open(&place, iface->ifindex, NULL);
	if (fd < 0)
		return fd;
	if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &where,
		       sizeof where) < 0 ||
	    fd_set_option(fd, IPPROTO_IP, IP_MULTICAST_TTL, TTL) < 0)
		fd_close(&fd);
	return fd;
}

static int open_socket(const struct iface *iface, size_t i)
{
	struct udp_place place = { .socket_size = SOCKET_SIZE };
	int fd;

	if (i == SEARCHING) {
		fd = open_search(iface);
	} else {
		fd = sockaddr_parse(SSDP_GROUP, SSDP_PORT, &place.local);
		if (fd == 0)
			fd = udp_socket_open(&place, iface->ifindex, NULL);
	}
	if (fd >= 0) /* GRO would join packets of different senders */
		(void)setsockopt(fd, SOL_UDP, UDP_GRO, &(int){ 0 },
				 sizeof(int));
	return fd;
}

static void search(struct iface *iface)
{
	struct sockaddr_any group;
	int *fd = &iface->fds[SEARCHING];

	if (*fd < 0 || sockaddr_parse(SSDP_GROUP, SSDP_PORT, &group) < 0)
		return;
	/* an interface that went down is opened again at an update */
	if (sendto(*fd, ssdp_search, strlen(ssdp_search),
		   MSG_DONTWAIT | MSG_NOSIGNAL, &group.sa, group.len) < 0 &&
	    errno != EAGAIN && errno != ECONNREFUSED)
		fd_close(fd);
}

/* Reads a limited number of packets: a flood overflows only its own socket. */
static void read_fd(struct satip_task *t, const struct iface *iface, int fd)
{
	struct sockaddr_any from;
	struct server_packet p = { .iface = iface->name, .sender = &from,
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
		p.is_near = iface_has(iface, &from);
		t->packets++;
		if (server_table_feed(t->table, &p, t->now_ns, &error) == 0)
			continue;
		t->rejected++;
		sockaddr_format_host(&from, sender);
		errmsg_set(&t->last, "%s on %s: %.160s", sender, p.iface,
			   error.text);
	}
}

/* --- descriptions --- */

static void on_fetched(uint32_t ticket, const struct server_facts *facts,
		       const char *note, void *arg)
{
	struct satip_task *t = arg;

	server_table_loaded(t->table, ticket, facts, note, t->now_ns);
}

static void load_descriptions(struct satip_task *t)
{
	struct server_load load;

	if (t->fetches == NULL)
		return;
	while (server_fetches_has_room(t->fetches) &&
	       server_table_next_load(t->table, &load))
		server_fetches_add(t->fetches, &load);
	server_fetches_turn(t->fetches);
}

/* --- reports --- */

static void send_report(struct satip_task *t, const struct server_report *r)
{
	struct msg m = { .type = MSG_SCAN_SERVER };
	struct msg_scan_server *s = &m.scan_server;
	char channels[SERVER_URL_MAX] = "";

	if (r->facts->channels.port != 0)
		server_url_format(&r->facts->channels, r->host, channels);
	*s = (struct msg_scan_server){
		.place = r->number,
		.iface = r->iface,
		.host = r->host,
		.port = r->facts->port,
		.uuid = r->uuid,
		.name = r->facts->name,
		.manufacturer = r->facts->manufacturer,
		.model = r->facts->model,
		.channels = channels,
		.note = r->note,
		.n_systems = r->facts->n_systems,
	};
	for (size_t i = 0; i < s->n_systems; i++)
		s->systems[i] = (struct msg_server_system){
			r->facts->systems[i].name,
			r->facts->systems[i].frontends,
		};
	(void)channel_send(t->worker->channel, &m, NULL, 0);
}

/* Reports wait in the table while the master does not read. */
static void report_servers(struct satip_task *t)
{
	struct server_report r;

	for (size_t i = 0; i < REPORTS_MAX; i++) {
		if (!channel_is_idle(t->worker->channel) ||
		    !server_table_next_report(t->table, t->now_ns, &r))
			return;
		send_report(t, &r);
	}
}

static void send_status(struct satip_task *t)
{
	struct msg m = { .type = MSG_SCAN_STATUS };
	struct errmsg rejected;

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

static void every_second(struct satip_task *t)
{
	t->second_ns = t->now_ns + SECOND_NS;
	if (t->seconds % UPDATE_S == 0 && t->fetches != NULL &&
	    iface_list_update(&t->sockets, &t->error) == 0)
		t->error.text[0] = '\0';
	if (t->seconds++ % SEARCH_S < SEARCHES)
		for (size_t i = 0; i < IFACES_MAX; i++)
			search(&t->sockets.ifaces[i]);
	server_table_expire(t->table, t->now_ns);
	send_status(t);
}

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct satip_task *t = container_of(timer, struct satip_task, tick);
	const struct iface *ifaces = t->sockets.ifaces;

	(void)loop, (void)revents;
	t->now_ns = mono_ns();
	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < SOCKETS; k++)
			if (ifaces[i].fds[k] >= 0)
				read_fd(t, &ifaces[i], ifaces[i].fds[k]);
	load_descriptions(t);
	report_servers(t);
	if (t->now_ns >= t->second_ns)
		every_second(t);
}

struct satip_task *satip_task_new(struct worker *worker)
{
	struct satip_task *t = xcalloc(1, sizeof *t);

	t->worker = worker;
	t->table = server_table_new();
	t->fetches = server_fetches_new(on_fetched, t);
	if (t->fetches == NULL)
		errmsg_set(&t->error, "libcurl cannot start");
	t->sockets.n = SOCKETS;
	t->sockets.open = open_socket;
	iface_list_init(&t->sockets);
	t->now_ns = mono_ns();
	every_second(t);
	ev_init(&t->tick, on_tick);
	timer_repeat(worker->loop, &t->tick, 0., TICK_MS / 1e3);
	return t;
}

void satip_task_free(struct satip_task **tp)
{
	struct satip_task *t = *tp;

	*tp = NULL;
	if (t == NULL)
		return;
	ev_timer_stop(t->worker->loop, &t->tick);
	iface_list_done(&t->sockets);
	server_fetches_free(&t->fetches);
	server_table_free(&t->table);
	free(t);
}
