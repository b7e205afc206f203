/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records UDP datagrams with the time at which the kernel got them, so that
 * a test can judge loss and pacing to the microsecond, however busy the test
 * itself is.
 *
 *	udp-record FILE ADDRESS PORT IFACE [ADDRESS PORT IFACE]...
 *
 * IFACE "-" is the kernel's choice.  Says "ready" on stdout, writes records
 * (u64 ns, u16 socket, u16 length, bytes; the machine's byte order) until
 * SIGTERM, then says how many datagrams its own sockets lost.
 */
#include <errno.h>
#include <netdb.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SOCKETS_MAX = 64, BATCH = 64, DATAGRAM_MAX = 2048 };

static volatile sig_atomic_t stopping;

static void on_term(int number)
{
	(void)number;
	stopping = 1;
}

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void join(int fd, const struct addrinfo *group, const char *iface)
{
	struct group_req request = { 0 };
	const struct sockaddr_in *in4 = (const void *)group->ai_addr;
	const struct sockaddr_in6 *in6 = (const void *)group->ai_addr;
	bool v6 = group->ai_family == AF_INET6;

	if (v6 ? !IN6_IS_ADDR_MULTICAST(&in6->sin6_addr)
	       : !IN_MULTICAST(ntohl(in4->sin_addr.s_addr)))
		return;
	if (strcmp(iface, "-") != 0)
		request.gr_interface = if_nametoindex(iface);
	memcpy(&request.gr_group, group->ai_addr, group->ai_addrlen);
	if (setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, MCAST_JOIN_GROUP,
		       &request, sizeof request) < 0)
		fail("join");
}

static int listen_to(const char *address, const char *port, const char *iface)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_DGRAM,
	};
	struct addrinfo *info;
	int on = 1, size = 8 << 20;
	int fd;

	if (getaddrinfo(address, port, &hints, &info) != 0)
		fail(address);
	fd = socket(info->ai_family, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (fd < 0)
		fail("socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
	(void)setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
	if (bind(fd, info->ai_addr, info->ai_addrlen) < 0)
		fail("bind");
	join(fd, info, iface);
	freeaddrinfo(info);
	return fd;
}

static uint64_t read_control(struct msghdr *message, uint32_t *drops)
{
	struct timespec at = { 0 };

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL;
	     c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(&at, CMSG_DATA(c), sizeof at);
		else if (c->cmsg_type == SO_RXQ_OVFL)
			memcpy(drops, CMSG_DATA(c), sizeof *drops);
	}
	return (uint64_t)at.tv_sec * 1000000000U + (uint64_t)at.tv_nsec;
}

static int record(int fd, uint16_t number, FILE *file, uint32_t *drops)
{
	static uint8_t data[BATCH][DATAGRAM_MAX];
	static uint8_t control[BATCH][128];
	struct iovec parts[BATCH];
	struct mmsghdr messages[BATCH] = { 0 };
	int n;

	for (int i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){ data[i], sizeof data[i] };
		messages[i].msg_hdr = (struct msghdr){
			.msg_iov = &parts[i],
			.msg_iovlen = 1,
			.msg_control = control[i],
			.msg_controllen = sizeof control[i],
		};
	}
	n = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++) {
		uint64_t ns = read_control(&messages[i].msg_hdr, drops);
		uint16_t len = (uint16_t)messages[i].msg_len;

		(void)fwrite(&ns, sizeof ns, 1, file);
		(void)fwrite(&number, sizeof number, 1, file);
		(void)fwrite(&len, sizeof len, 1, file);
		(void)fwrite(data[i], len, 1, file);
	}
	return n;
}

int main(int argc, char **argv)
{
	struct pollfd sockets[SOCKETS_MAX];
	uint32_t drops[SOCKETS_MAX] = { 0 }, lost = 0;
	uint16_t n = 0;
	FILE *file;

	if (argc < 5 || (argc - 2) % 3 != 0 || (argc - 2) / 3 > SOCKETS_MAX)
		return 64;
	file = fopen(argv[1], "w");
	if (file == NULL)
		fail(argv[1]);
	for (int i = 2; i < argc; i += 3)
		sockets[n++] = (struct pollfd){
			.fd = listen_to(argv[i], argv[i + 1], argv[i + 2]),
			.events = POLLIN,
		};
	(void)signal(SIGTERM, on_term);
	(void)puts("ready");
	(void)fflush(stdout);
	while (!stopping) {
		if (poll(sockets, n, 50) < 0 && errno != EINTR)
			fail("poll");
		for (uint16_t i = 0; i < n; i++)
			(void)record(sockets[i].fd, i, file, &drops[i]);
		(void)fflush(file);
	}
	for (uint16_t i = 0; i < n; i++) {
		/* datagrams before the signal belong to the record */
		while (record(sockets[i].fd, i, file, &drops[i]) > 0)
			continue;
		lost += drops[i];
	}
	if (fclose(file) != 0)
		fail("write");
	(void)printf("%u\n", lost);
	return 0;
}
