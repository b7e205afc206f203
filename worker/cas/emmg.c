/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/emmg.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/loop/timer.h"
#include "worker/cas/emm_packer.h"
#include "worker/cas/emmg_client.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	CLIENTS_MAX = 8,
	DATAGRAMS_MAX = 32, /* datagrams that are read in one wake-up */
	SETUP_MS = 10000, /* limit for a connection without a channel */
	JOIN_MS = 100, /* time that a section waits for others to share its
			* packet */
};

struct emmg {
	struct emmg_config cfg;
	ev_io acceptable, readable;
	size_t n;
	struct emmg_client *clients[CLIENTS_MAX]; /* in order of arrival */
	ev_timer join; /* runs while the packer has sections */
	struct emm_packer packer;
	uint8_t datagram[SIMULCRYPT_MAX];
};

/* --- clients --- */

static unsigned left(void *arg)
{
	const struct emmg *e = arg;
	unsigned used = 0;

	for (size_t i = 0; i < e->n; i++)
		used += emmg_client_allocated(e->clients[i]);
	return e->cfg.kbps > used ? e->cfg.kbps - used : 0;
}

static void send_sections(struct emmg *e)
{
	struct ts_run run = emm_packer_take(&e->packer);

	ev_timer_stop(e->cfg.loop, &e->join);
	if (run.n > 0)
		e->cfg.on_emm(run, e->cfg.arg);
}

static void on_join(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	send_sections(container_of(w, struct emmg, join));
}

static void on_packets(struct ts_run run, void *arg)
{
	struct emmg *e = arg;

	send_sections(e);
	e->cfg.on_emm(run, e->cfg.arg);
}

static void on_section(const uint8_t *section, size_t len, void *arg)
{
	struct emmg *e = arg;

	while (!emm_packer_add(&e->packer, section, len))
		send_sections(e);
	timer_ensure(e->cfg.loop, &e->join, JOIN_MS / 1e3);
}

static void on_gone(struct emmg_client *client, const char *error, void *arg)
{
	struct emmg *e = arg;
	size_t i = 0;

	log_info("cas", "EMMG disconnected: %s", error);
	while (e->clients[i] != client)
		i++;
	e->n--;
	memmove(e->clients + i, e->clients + i + 1,
		(e->n - i) * sizeof *e->clients);
	emmg_client_free(&client);
}

static const struct emmg_client_events client_events = {
	.left = left,
	.on_packets = on_packets,
	.on_section = on_section,
	.on_gone = on_gone,
};

static void on_acceptable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct emmg *e = container_of(w, struct emmg, acceptable);
	int fd = accept4(w->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (fd < 0)
		return;
	/* if all entries are used, ends the oldest connection without a
	 * channel */
	for (size_t i = 0; i < CLIENTS_MAX && e->n == CLIENTS_MAX; i++)
		if (!emmg_client_has_channel(e->clients[i]))
			on_gone(e->clients[i], "it opened no channel, and "
				"another EMMG needs the connection", e);
	if (e->n == CLIENTS_MAX) {
		log_warning("cas", "EMMG rejected: %d EMMGs are connected "
			    "already",
			    CLIENTS_MAX);
		fd_close(&fd);
		return;
	}
	/* detects a host that has vanished, so that its entry becomes free */
	(void)fd_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	log_info("cas", "EMMG connected");
	e->clients[e->n++] = emmg_client_new(&(struct emmg_client_config){
		.loop = loop,
		.fd = fd,
		.setup_ms = SETUP_MS,
		.events = &client_events,
		.arg = e,
	});
}

/* Receives datagrams, each of which is one message.  The client that it belongs
 * to was set up over TCP. */
static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct emmg *e = container_of(w, struct emmg, readable);

	(void)loop, (void)revents;
	for (int k = 0; k < DATAGRAMS_MAX; k++) {
		ssize_t n = recv(w->fd, e->datagram, sizeof e->datagram, 0);
		struct simulcrypt m;

		if (n < 0)
			return;
		if (simulcrypt_read(e->datagram, (size_t)n, &m) < 0 ||
		    m.type != EMMG_DATA)
			continue;
		for (size_t i = 0; i < e->n; i++)
			if (emmg_client_data(e->clients[i], &m))
				break;
	}
}

struct emmg *emmg_new(const struct emmg_config *cfg)
{
	struct emmg *e = xcalloc(1, sizeof *e);

	e->cfg = *cfg;
	ev_init(&e->join, on_join);
	ev_io_init(&e->acceptable, on_acceptable, cfg->sockets.tcp, EV_READ);
	ev_io_init(&e->readable, on_readable, cfg->sockets.udp, EV_READ);
	if (cfg->sockets.tcp >= 0)
		ev_io_start(cfg->loop, &e->acceptable);
	if (cfg->sockets.udp >= 0)
		ev_io_start(cfg->loop, &e->readable);
	return e;
}

void emmg_free(struct emmg **pe)
{
	struct emmg *e = *pe;

	*pe = NULL;
	if (e == NULL)
		return;
	send_sections(e);
	for (size_t i = 0; i < e->n; i++)
		emmg_client_free(&e->clients[i]);
	ev_io_stop(e->cfg.loop, &e->acceptable);
	ev_io_stop(e->cfg.loop, &e->readable);
	fd_close(&e->cfg.sockets.tcp);
	fd_close(&e->cfg.sockets.udp);
	free(e);
}

unsigned emmg_clients(const struct emmg *e)
{
	return (unsigned)e->n;
}
