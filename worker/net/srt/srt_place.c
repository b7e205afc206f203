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

/* A socket of libsrt blocks, for as long as it says later. */
static int make(const struct sockaddr_any *local)
{
	return socket(local->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* Beside one that was given up, which threads of the library may be about to
 * read, and nobody else: only that one shares its port. */
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
		/* first: what happens from here on is heard */
		.netif = netif_watch_new(false),
	};
	r = netif_index(iface, &p->ifindex, error);
	if (r == 0)
		r = p->fd = bind_to(p, p->ifindex, error);
	/* it is the library's from here on, whatever it says */
	if (r >= 0 && srt_bind_acquire(s, p->fd) == SRT_ERROR)
		r = errmsg_fail(error, -EINVAL, "listen on port %u: %s",
				sockaddr_port(local), srt_getlasterror_str());
	p->open = r >= 0;
	if (!p->open)
		netif_watch_free(&p->netif);
	return MIN(r, 0);
}

/* The kernel tells twice of what a buffer was set to, for its own needs. */
static void copy_size(int from, int to, int option)
{
	int size;
	socklen_t len = sizeof size;

	if (getsockopt(from, SOL_SOCKET, option, &size, &len) == 0)
		(void)set_int(to, option, size / 2);
}

/* Threads of the library read from it and send to it: it is another one from
 * one call of theirs to the next.  Takes fd. */
static int replace(struct srt_place *p, int fd)
{
	struct timeval patience;
	socklen_t len = sizeof patience;
	int r = 0;

	copy_size(p->fd, fd, SO_RCVBUF);
	copy_size(p->fd, fd, SO_SNDBUF);
	if (getsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, &len) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, len) < 0 ||
	    fcntl(fd, F_SETFL, fcntl(p->fd, F_GETFL)) < 0 ||
	    dup3(fd, p->fd, O_CLOEXEC) < 0)
		r = -errno;
	fd_close(&fd);
	return r;
}

/* The library keeps its own for seconds after a listener was closed. */
void srt_place_close(struct srt_place *p)
{
	int nowhere;

	if (!p->open)
		return;
	give_up(p->fd);
	nowhere = make(&p->local);
	if (nowhere >= 0)
		(void)replace(p, nowhere);
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

/* What is away is asked for until it is back. */
static bool is_to_be_looked_at(struct srt_place *p)
{
	if (p->netif == NULL || p->trouble.text[0] != '\0')
		return true;
	return (netif_watch_look(p->netif, p->ifindex) & NETIF_TOUCHED) != 0;
}

static void tell(const struct srt_place *p, bool was_well, bool moved)
{
	unsigned port = sockaddr_port(&p->local);

	if (p->trouble.text[0] != '\0') {
		if (was_well)
			log_warning("stream", "srt port %u: %s", port,
				    p->trouble.text);
	} else if (moved || !was_well) {
		log_info("stream", "srt port %u: interface %s %s", port,
			 p->iface, moved ? "was replaced: listens on the new "
					   "one" : "is back");
	}
}

void srt_place_follow(struct srt_place *p)
{
	bool was_well = p->trouble.text[0] == '\0', moved = false;
	struct errmsg error = { 0 };
	unsigned ifindex;
	int r;

	if (!p->open || !is_to_be_looked_at(p))
		return;
	r = netif_index(p->iface, &ifindex, &error);
	if (r == 0 && ifindex != p->ifindex) {
		r = move_to(p, ifindex, &error);
		moved = r == 0;
	}
	p->trouble = r < 0 ? error : (struct errmsg){ 0 };
	tell(p, was_well, moved);
}
