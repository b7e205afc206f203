/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/scan_listener.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/timer.h"
#include "worker/core/worker.h"

#include <inttypes.h>
#include <netinet/udp.h>
#include <sys/socket.h>

enum {
	TICK_MS = 100,
	UPDATE_S = 5,   /* period in which the interfaces are updated */
	READS_MAX = 16, /* datagrams that are read from a socket in one tick */
};

int scan_listener_split(int fd)
{
	if (fd >= 0)
		(void)setsockopt(fd, SOL_UDP, UDP_GRO, &(int){ 0 },
				 sizeof(int));
	return fd;
}

/* Reads a limited number of datagrams, so that a flood on one socket does not
 * delay the others. */
static void read_fd(struct scan_listener *l, const struct iface *iface, int fd)
{
	struct sockaddr_any from;
	struct scan_listener_packet p = { .iface = iface, .sender = &from,
					  .data = l->packet };
	char sender[SOCKADDR_TEXT_MAX];

	for (size_t i = 0; i < READS_MAX; i++) {
		struct errmsg error = { 0 };
		ssize_t n;

		from = (struct sockaddr_any){ .len = sizeof from.in6 };
		n = recvfrom(fd, l->packet, sizeof l->packet, MSG_DONTWAIT,
			     &from.sa, &from.len);
		if (n < 0)
			return;
		p.len = (size_t)n;
		l->packets++;
		if (l->events->take(l, &p, &error) == 0)
			continue;
		l->rejected++;
		sockaddr_format_host(&from, sender);
		errmsg_set(&l->last, "%s on %s: %.160s", sender, iface->name,
			   error.text);
	}
}

static void every_second(struct scan_listener *l)
{
	struct msg m = { .type = MSG_SCAN_STATUS };
	struct errmsg rejected;

	l->second_ns = l->now_ns + SECOND_NS;
	if (l->seconds++ % UPDATE_S == 0 &&
	    iface_list_update(&l->sockets, &l->error) == 0)
		l->error.text[0] = '\0';
	l->events->second(l);
	m.scan_status.packets = l->packets;
	if (l->error.text[0] != '\0') {
		m.scan_status.error = l->error.text;
	} else if (l->rejected > 0) {
		errmsg_set(&rejected, "%" PRIu64 " packets rejected; the last "
			   "from %s", l->rejected, l->last.text);
		m.scan_status.error = rejected.text;
	}
	(void)channel_send(l->worker->channel, &m, NULL, 0);
}

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct scan_listener *l = container_of(timer, struct scan_listener,
					       tick);
	const struct iface *ifaces = l->sockets.ifaces;

	(void)loop, (void)revents;
	l->now_ns = mono_ns();
	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < l->sockets.n; k++)
			if (ifaces[i].fds[k] >= 0)
				read_fd(l, &ifaces[i], ifaces[i].fds[k]);
	l->events->tick(l);
	if (l->now_ns >= l->second_ns)
		every_second(l);
}

void scan_listener_start(struct scan_listener *l, struct worker *worker,
			 const struct scan_listener_events *events)
{
	l->worker = worker;
	l->events = events;
	l->sockets.n = events->n;
	l->sockets.open = events->open;
	iface_list_init(&l->sockets);
	l->now_ns = mono_ns();
	every_second(l);
	ev_init(&l->tick, on_tick);
	timer_repeat(worker->loop, &l->tick, 0., TICK_MS / 1e3);
}

void scan_listener_stop(struct scan_listener *l)
{
	ev_timer_stop(l->worker->loop, &l->tick);
	iface_list_done(&l->sockets);
}
