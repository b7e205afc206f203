/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/satip_task.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "worker/core/worker.h"
#include "worker/scan/scan_listener.h"
#include "worker/scan/server_fetch.h"
#include "worker/scan/server_table.h"
#include "worker/scan/ssdp_message.h"
#include "worker/socket/receive_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TTL = 2,       /* UPnP Device Architecture 1.1, 1.3.2 */
	/* number of searches in a period, one a second, because UDP may lose
	 * datagrams */
	SEARCHES = 3,
	SEARCH_S = 30, /* period of the searches */
};

/* Indexes of the sockets of an interface: one for each group, then one for the
 * searches of each family. */
enum { SEARCH_V4 = SSDP_GROUPS, SEARCH_V6, SOCKETS };
_Static_assert((int)SOCKETS <= (int)IFACE_SOCKETS_MAX, "sockets");

struct satip_task {
	struct server_table *table;
	struct server_fetches *fetches; /* NULL: libcurl cannot start */
	struct searched {
		unsigned seconds; /* seconds since the interface's last socket
				   * was opened */
		unsigned opened;  /* iface.opened at the last search */
	} ifaces[IFACES_MAX];
	struct scan_listener listener;
};

static struct satip_task *task_of(struct scan_listener *l)
{
	return container_of(l, struct satip_task, listener);
}

/* Opens the socket that sends the searches at the interface; servers reply to
 * its port. */
static int open_search(const struct iface *iface, bool v6)
{
	const struct ip_mreqn where = { .imr_ifindex = (int)iface->ifindex };
	struct udp_place place = { .local = v6 ? iface->v6 : iface->v4,
				   .socket_size = SCAN_LISTENER_SOCKET_SIZE };
	bool set;
	int fd;

	if (place.local.len == 0)
		return -EADDRNOTAVAIL;
	sockaddr_set_port(&place.local, 0);
	/* a reply of a server on this host is received on this interface,
	 * too */
	fd = udp_socket_open(&place, iface->ifindex, NULL);
	if (fd < 0)
		return fd;
	if (v6)
		set = fd_set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF,
				    (int)iface->ifindex) >= 0 &&
		      fd_set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS,
				    TTL) >= 0;
	else
		set = setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &where,
				 sizeof where) >= 0 &&
		      fd_set_option(fd, IPPROTO_IP, IP_MULTICAST_TTL, TTL) >= 0;
	if (!set)
		fd_close(&fd);
	return fd;
}

static int open_socket(const struct iface *iface, size_t i)
{
	struct udp_place place = { .socket_size = SCAN_LISTENER_SOCKET_SIZE };
	int fd;

	if (i >= SSDP_GROUPS)
		return scan_listener_split(open_search(iface, i == SEARCH_V6));
	fd = sockaddr_parse(ssdp_groups[i].address, SSDP_PORT, &place.local);
	if (fd == 0)
		fd = udp_socket_open(&place, iface->ifindex, NULL);
	return scan_listener_split(fd);
}

static void search(struct iface *iface, struct errmsg *error)
{
	for (size_t i = 0; i < SSDP_GROUPS; i++) {
		const char *text = ssdp_groups[i].search;
		struct sockaddr_any group;
		int *fd;

		if (sockaddr_parse(ssdp_groups[i].address, SSDP_PORT,
				   &group) < 0)
			continue;
		fd = &iface->fds[group.sa.sa_family == AF_INET6 ? SEARCH_V6
							       : SEARCH_V4];
		if (*fd < 0)
			continue;
		/* ENETUNREACH: the loopback interface has no route for groups
		 * of IPv6 */
		if (sendto(*fd, text, strlen(text),
			   MSG_DONTWAIT | MSG_NOSIGNAL, &group.sa,
			   group.len) >= 0 ||
		    errno == EAGAIN || errno == ECONNREFUSED ||
		    errno == ENETUNREACH)
			continue;
		errmsg_set(error, "cannot send the search for SAT>IP servers "
			   "to %s on interface %s: %s",
			   ssdp_groups[i].address, iface->name,
			   strerror(errno));
		/* after any other error the socket stays open, because replies
		 * to an earlier search can still arrive */
		if (errno == ENODEV || errno == ENETDOWN ||
		    errno == EADDRNOTAVAIL || errno == EINVAL)
			fd_close(fd);
	}
}

static int take(struct scan_listener *l, const struct scan_listener_packet *p,
		struct errmsg *error)
{
	/* an adapter cannot name the interface of a link-local address, and the
	 * server also announces its other addresses */
	if (sockaddr_is_link_local(p->sender))
		return 0;
	return server_table_feed(task_of(l)->table, &(struct server_packet){
		.iface = p->iface->name, .sender = p->sender,
		.is_near = iface_has(p->iface, p->sender),
		.data = p->data, .len = p->len,
	}, l->now_ns, error);
}

/* --- descriptions --- */

static void on_fetched(uint32_t ticket, const struct server_facts *facts,
		       const char *note, void *arg)
{
	struct satip_task *t = arg;

	server_table_loaded(t->table, ticket, facts, note, t->listener.now_ns);
}

/* --- reports --- */

static void send_report(struct worker *worker, const struct server_report *r)
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
	(void)channel_send(worker->channel, &m, NULL, 0);
}

static void on_tick(struct scan_listener *l)
{
	struct satip_task *t = task_of(l);
	struct server_load load;
	struct server_report r;

	while (t->fetches != NULL && server_fetches_has_room(t->fetches) &&
	       server_table_next_load(t->table, &load))
		server_fetches_add(t->fetches, &load);
	if (t->fetches != NULL)
		server_fetches_turn(t->fetches);
	/* while messages wait in the channel, changed servers stay in the table
	 * for the next tick */
	for (size_t i = 0; i < SCAN_LISTENER_REPORTS_MAX; i++) {
		if (!channel_is_idle(l->worker->channel) ||
		    !server_table_next_report(t->table, l->now_ns, &r))
			return;
		send_report(l->worker, &r);
	}
}

static void every_second(struct scan_listener *l)
{
	struct satip_task *t = task_of(l);

	if (t->fetches == NULL)
		errmsg_set(&l->error, "libcurl cannot start");
	/* A search is sent in the first SEARCHES seconds of each period of
	 * SEARCH_S.  If a socket was opened since, for a new address, a new
	 * period begins. */
	for (size_t i = 0; i < IFACES_MAX; i++) {
		struct iface *iface = &l->sockets.ifaces[i];
		struct searched *s = &t->ifaces[i];

		if (s->opened != iface->opened)
			s->seconds = 0;
		s->opened = iface->opened;
		if (s->seconds++ % SEARCH_S < SEARCHES)
			search(iface, &l->error);
	}
	server_table_expire(t->table, l->now_ns);
}

static const struct scan_listener_events events = {
	.n = SOCKETS,
	.open = open_socket,
	.take = take,
	.tick = on_tick,
	.second = every_second,
};

struct satip_task *satip_task_new(struct worker *worker)
{
	struct satip_task *t = xcalloc(1, sizeof *t);

	t->table = server_table_new();
	t->fetches = server_fetches_new(on_fetched, t);
	scan_listener_start(&t->listener, worker, &events);
	return t;
}

void satip_task_free(struct satip_task **tp)
{
	struct satip_task *t = *tp;

	*tp = NULL;
	if (t == NULL)
		return;
	scan_listener_stop(&t->listener);
	server_fetches_free(&t->fetches);
	server_table_free(&t->table);
	free(t);
}
