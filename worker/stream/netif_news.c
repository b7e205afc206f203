/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/netif_news.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/socket/netif_watch.h"

enum {
	/* A report waits for this time after a change: when an address is
	 * replaced, its removal and the new one are two changes. */
	SETTLES_MS = 20,
	PAUSE_MS = 100, /* shortest time between two reports */
	/* time between two reports if the kernel refuses its events */
	BLIND_MS = 1000,
};

/* Sets the time of the report after a change.  Changes until then are in the
 * same report. */
static void on_news(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)revents;
	struct netif_news *n = container_of(w, struct netif_news, io);

	ev_io_stop(loop, w);
	n->due_ns = MAX(mono_ns() + SETTLES_MS * MS,
			n->taken_ns + PAUSE_MS * MS);
}

static void open_watch(struct netif_news *n, uint64_t now_ns)
{
	n->watch = netif_watch_new(n->routes);
	if (n->watch == NULL) {
		n->due_ns = now_ns + BLIND_MS * MS;
		return;
	}
	ev_io_init(&n->io, on_news, netif_watch_fd(n->watch), EV_READ);
	ev_io_start(n->loop, &n->io);
}

void netif_news_init(struct netif_news *n, struct ev_loop *loop, bool routes)
{
	*n = (struct netif_news){ .loop = loop, .routes = routes };
	open_watch(n, mono_ns());
}

void netif_news_done(struct netif_news *n)
{
	if (n->watch == NULL)
		return;
	ev_io_stop(n->loop, &n->io);
	netif_watch_free(&n->watch);
}

int netif_news_fd(const struct netif_news *n)
{
	return n->watch != NULL && n->due_ns == 0 ? n->io.fd : -1;
}

uint64_t netif_news_next_ns(const struct netif_news *n)
{
	return n->due_ns != 0 ? n->due_ns : UINT64_MAX;
}

bool netif_news_take(struct netif_news *n, uint64_t now_ns)
{
	if (n->due_ns == 0 || now_ns < n->due_ns)
		return false;
	n->due_ns = 0;
	n->taken_ns = now_ns;
	if (n->watch == NULL) {
		open_watch(n, now_ns);
		return true;
	}
	(void)netif_watch_look(n->watch, 0);
	ev_io_start(n->loop, &n->io);
	return true;
}
