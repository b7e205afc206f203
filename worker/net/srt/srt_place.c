/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_place.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "worker/socket/netif.h"
#include "worker/socket/netif_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int set_int(int fd, int option, int value)
{
	return setsockopt(fd, SOL_SOCKET, option, &value, sizeof value);
}

/* libsrt sets the socket to non-blocking later. */
static int make(const struct sockaddr_any *local)
{
	return socket(local->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* Shares the port only with the socket that it replaces, which libsrt's threads
 * may be about to read; no other program can bind it. */
static int bind_alone(int fd, const struct sockaddr_any *local)
{
	int r;

	(void)set_int(fd, SO_REUSEPORT, 1);
	r = bind(fd, &local->sa, local->len);
	if (r == 0)
		r = set_int(fd, SO_REUSEPORT, 0);
	return r;
}

static void give_up(int fd)
{
	(void)set_int(fd, SO_REUSEPORT, 1);
}

static int bind_to(const struct srt_place *p, unsigned ifindex,
		   struct errmsg *error)
{
	unsigned port = sockaddr_port(&p->local);
	int fd = make(&p->local);

	if (fd < 0)
		return errmsg_fail(error, -errno, "socket: %s",
				   strerror(errno));
	if (set_int(fd, SO_BINDTOIFINDEX, (int)ifindex) < 0)
		(void)errmsg_fail(error, -errno, "interface %s: %s", p->iface,
				  strerror(errno));
	else if (bind_alone(fd, &p->local) < 0)
		(void)errmsg_fail(error, -errno, "listen on port %u: %s", port,
				  strerror(errno));
	else
		return fd;

	int err = -errno;

	fd_close(&fd);
	return err;
}

int srt_place_open(struct srt_place *p, SRTSOCKET s, const char *iface,
		   const struct sockaddr_any *local, struct errmsg *error)
{
	int r;

	*p = (struct srt_place){
		.iface = iface,
		.local = *local,
		/* watches before the look-up, so that no change is missed */
		.netif = netif_watch_new(false),
	};
	r = netif_index(iface, &p->ifindex, error);
	if (r == 0)
		r = p->fd = bind_to(p, p->ifindex, error);
	/* libsrt owns the descriptor from here on, also after an error */
	if (r >= 0 && srt_bind_acquire(s, p->fd) == SRT_ERROR)
		r = errmsg_fail(error, -EINVAL, "listen on port %u: %s",
				sockaddr_port(local), srt_getlasterror_str());
	p->open = r >= 0;
	if (!p->open)
		netif_watch_free(&p->netif);
	return MIN(r, 0);
}

/* The kernel reports twice the size that was set. */
static void copy_size(int from, int to, int option)
{
	int size;
	socklen_t len = sizeof size;

	if (getsockopt(from, SOL_SOCKET, option, &size, &len) == 0)
		(void)set_int(to, option, size / 2);
}

/* libsrt's threads use the descriptor number: dup2() exchanges the socket
 * between two of their calls. Takes fd. */
static int replace(struct srt_place *p, int fd)
{
	struct timeval timeout;
	socklen_t len = sizeof timeout;
	int r = 0;

	copy_size(p->fd, fd, SO_RCVBUF);
	copy_size(p->fd, fd, SO_SNDBUF);
	if (getsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, &len) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, len) < 0 ||
	    fcntl(fd, F_SETFL, fcntl(p->fd, F_GETFL)) < 0 ||
	    dup3(fd, p->fd, O_CLOEXEC) < 0)
		r = -errno;
	fd_close(&fd);
	return r;
}

/* libsrt keeps its socket for seconds after the listener was closed. */
void srt_place_close(struct srt_place *p)
{
	int unbound;

	if (!p->open)
		return;
	give_up(p->fd);
	unbound = make(&p->local);
	if (unbound >= 0)
		(void)replace(p, unbound);
	netif_watch_free(&p->netif);
	p->open = false;
}

static int move_to(struct srt_place *p, unsigned ifindex, struct errmsg *error)
{
	int r = bind_to(p, ifindex, error);

	if (r < 0)
		return r;
	r = replace(p, r);
	if (r < 0)
		return errmsg_fail(error, r, "interface %s: %s", p->iface,
				   strerror(-r));
	p->ifindex = ifindex;
	return 0;
}

/* A missing interface is checked every second. */
static bool is_check_due(struct srt_place *p)
{
	if (p->netif == NULL || p->error.text[0] != '\0')
		return true;
	return (netif_watch_look(p->netif, p->ifindex) & NETIF_TOUCHED) != 0;
}

static void log_state(const struct srt_place *p, bool was_ok, bool moved)
{
	unsigned port = sockaddr_port(&p->local);

	if (p->error.text[0] != '\0') {
		if (was_ok)
			log_warning("stream", "srt port %u: %s", port,
				    p->error.text);
	} else if (moved || !was_ok) {
		log_info("stream", "srt port %u: interface %s %s", port,
			 p->iface, moved ? "was replaced: listening on the new "
					   "one" : "is back");
	}
}

void srt_place_follow(struct srt_place *p)
{
	bool was_ok = p->error.text[0] == '\0', moved = false;
	struct errmsg error = { 0 };
	unsigned ifindex;
	int r;

	if (!p->open || !is_check_due(p))
		return;
	r = netif_index(p->iface, &ifindex, &error);
	if (r == 0 && ifindex != p->ifindex) {
		r = move_to(p, ifindex, &error);
		moved = r == 0;
	}
	p->error = r < 0 ? error : (struct errmsg){ 0 };
	log_state(p, was_ok, moved);
}
