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

/* Returns a bound descriptor, or -errno with error.  SO_REUSEPORT is set only
 * for bind(): the new socket shares the port with the socket that it replaces,
 * which libsrt's threads may be about to read.  No other program can bind the
 * port. */
static int bind_to(const struct srt_place *p, unsigned ifindex,
		   struct errmsg *error)
{
	int fd = socket(p->local.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return errmsg_fail(error, -errno, "socket: %s",
				   strerror(errno));
	(void)fd_set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	r = fd_set_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX, (int)ifindex);
	if (r < 0) {
		(void)errmsg_fail(error, r, "interface %s: %s", p->iface,
				  strerror(-r));
	} else {
		r = bind(fd, &p->local.sa, p->local.len) < 0 ? -errno : 0;
		if (r == 0)
			r = fd_set_option(fd, SOL_SOCKET, SO_REUSEPORT, 0);
		if (r < 0)
			(void)errmsg_fail(error, r, "listen on port %u: %s",
					  sockaddr_port(&p->local),
					  strerror(-r));
	}
	if (r < 0)
		fd_close(&fd);
	return r < 0 ? r : fd;
}

int srt_place_open(struct srt_place *p, SRTSOCKET s, const char *iface,
		   const struct sockaddr_any *local, struct errmsg *error)
{
	int r;

	*p = (struct srt_place){
		.iface = iface,
		.local = *local,
		/* the watch begins before the look-up, so that no change is
		 * missed */
		.netif = netif_watch_new(false),
	};
	r = netif_index(iface, &p->ifindex, error);
	if (r == 0)
		r = p->fd = bind_to(p, p->ifindex, error);
	/* libsrt owns the descriptor from here on, also after a failure */
	if (r >= 0 && srt_bind_acquire(s, p->fd) == SRT_ERROR)
		r = errmsg_fail(error, -EINVAL, "listen on port %u: %s",
				sockaddr_port(local), srt_getlasterror_str());
	p->open = r >= 0;
	if (!p->open)
		netif_watch_free(&p->netif);
	return MIN(r, 0);
}

/* Replaces the socket of libsrt by fd, which gets its options.  Always closes
 * fd.  libsrt's threads use the number of the descriptor, so dup3() exchanges
 * the socket between two of their calls.  0, or -errno with error. */
static int replace(struct srt_place *p, int fd, struct errmsg *error)
{
	static const int sizes[] = { SO_RCVBUF, SO_SNDBUF };
	struct timeval timeout;
	socklen_t len = sizeof timeout;
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		int size;
		socklen_t size_len = sizeof size;

		/* the kernel returns twice the size that was set */
		if (getsockopt(p->fd, SOL_SOCKET, sizes[i], &size,
			       &size_len) == 0)
			(void)fd_set_option(fd, SOL_SOCKET, sizes[i], size / 2);
	}
	if (getsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, &len) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, len) < 0 ||
	    fcntl(fd, F_SETFL, fcntl(p->fd, F_GETFL)) < 0 ||
	    dup3(fd, p->fd, O_CLOEXEC) < 0)
		r = errmsg_fail(error, -errno, "interface %s: %s", p->iface,
				strerror(errno));
	fd_close(&fd);
	return r;
}

/* Frees the port at once, although libsrt keeps its socket for seconds after
 * the listener was closed: an unbound socket replaces it. */
void srt_place_close(struct srt_place *p)
{
	struct errmsg error;
	int unbound;

	if (!p->open)
		return;
	(void)fd_set_option(p->fd, SOL_SOCKET, SO_REUSEPORT, 1);

	unbound = socket(p->local.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (unbound >= 0)
		(void)replace(p, unbound, &error);
	netif_watch_free(&p->netif);
	p->open = false;
}

void srt_place_follow(struct srt_place *p)
{
	bool was_ok = p->error.text[0] == '\0', moved = false;
	struct errmsg error = { 0 };
	unsigned ifindex, port = sockaddr_port(&p->local);
	int r;

	/* while the interface is missing, the name is looked up every second */
	if (!p->open ||
	    (p->netif != NULL && was_ok &&
	     (netif_watch_look(p->netif, p->ifindex) & NETIF_TOUCHED) == 0))
		return;
	r = netif_index(p->iface, &ifindex, &error);
	if (r == 0 && ifindex != p->ifindex) {
		r = bind_to(p, ifindex, &error);
		if (r >= 0)
			r = replace(p, r, &error);
		moved = r == 0;
	}
	if (moved)
		p->ifindex = ifindex;
	p->error = r < 0 ? error : (struct errmsg){ 0 };
	if (r < 0 && was_ok)
		log_warning("stream", "srt port %u: %s", port, error.text);
	else if (r == 0 && (moved || !was_ok))
		log_info("stream", "srt port %u: interface %s %s", port,
			 p->iface, moved ? "was replaced: listening on the new "
					   "one" : "is back");
}
