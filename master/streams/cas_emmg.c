/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/cas_emmg.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/supervise/service_proc.h"
#include "proto/spec/cas_spec.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { BACKLOG = 8 };

static int open_socket(int type, uint16_t port)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
					  .sin6_port = htons(port) };
	const struct sockaddr_in any4 = { .sin_family = AF_INET,
					  .sin_port = htons(port) };
	const struct sockaddr *address = (const struct sockaddr *)&any;
	socklen_t len = sizeof any;
	int fd = socket(AF_INET6, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err = 0;

	/* the host has no IPv6: listen with IPv4 */
	if (fd < 0) {
		fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		address = (const struct sockaddr *)&any4;
		len = sizeof any4;
	} else {
		(void)fd_set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	}
	if (fd < 0)
		return -errno;
	(void)fd_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, address, len) < 0 ||
	    (type == SOCK_STREAM && listen(fd, BACKLOG) < 0))
		err = -errno;
	if (err < 0)
		fd_close(&fd);
	return err < 0 ? err : fd;
}

/* Opens the TCP socket (ret[0]) and, if the entry asks for it, the UDP socket
 * (ret[1], else -1); returns 0 or -errno. */
static int open_sockets(const struct cas_entry *entry, int ret[2])
{
	int tcp = open_socket(SOCK_STREAM, entry->emmg_port), udp = -1;

	if (tcp < 0)
		return tcp;
	if (entry->emmg_udp)
		udp = open_socket(SOCK_DGRAM, entry->emmg_port);
	if (entry->emmg_udp && udp < 0) {
		fd_close(&tcp);
		return udp;
	}
	ret[0] = tcp;
	ret[1] = udp;
	return 0;
}

static void fail(struct cas_emmg *e, const struct cas_entry *entry, int err,
		 struct service_proc *service)
{
	struct msg m = { .type = MSG_CAS_EMMG };
	struct errmsg error;

	errmsg_set(&error, "emmg_port %u: %s: no EMMs; the port is tried again",
		   entry->emmg_port, strerror(-err));
	if (e->retry_ms == 0)
		log_warning("cas", "[CAS %s] %s", entry->id, error.text);
	m.cas_emmg.error = error.text;
	service_proc_send(service, &m, NULL);
}

void cas_emmg_turn(struct cas_emmg *e, const json_t *from,
		   struct service_proc *service, uint64_t now_ms)
{
	struct msg m = { .type = MSG_CAS_EMMG };
	struct cas_entry entry;
	struct errmsg error;
	int fds[2], err;

	if (e->done || now_ms < e->next_ms)
		return;
	e->done = cas_entry_read(from, &entry, &error) < 0 ||
		  entry.emmg_port == 0;
	if (e->done)
		return;
	err = open_sockets(&entry, fds);
	if (err < 0) {
		fail(e, &entry, err, service);
		e->retry_ms = MIN(MAX(2 * e->retry_ms,
				      (unsigned)CAS_EMMG_RETRY_MIN_MS),
				  (unsigned)CAS_EMMG_RETRY_MAX_MS);
		e->next_ms = now_ms + e->retry_ms;
		return;
	}
	if (e->retry_ms > 0)
		log_info("cas", "[CAS %s] emmg_port %u: open", entry.id,
			 entry.emmg_port);
	m.cas_emmg.udp = fds[1] >= 0;
	service_proc_send(service, &m, fds);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
	e->done = true;
}
