/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/farm_viewer.h"

#include "common/base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { PAT_PID = 0 };

int farm_viewer_open(struct farm_viewer *v, const struct sockaddr_any *to,
		     uint64_t now_ns)
{
	int fd = socket(to->sa.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, &to->sa, to->len) < 0 && errno != EINPROGRESS) {
		int err = -errno;

		fd_close(&fd);
		return err;
	}
	v->fd = fd;
	v->state = FARM_CONNECTING;
	v->asked_ns = now_ns;
	return 0;
}

void farm_viewer_close(struct farm_viewer *v)
{
	fd_close(&v->fd);
}

static void end(struct farm_viewer *v, enum farm_state state)
{
	v->state = state;
	farm_viewer_close(v);
}

static void ask(struct farm_viewer *v, const char *path)
{
	char request[1200];
	int len = snprintf(request, sizeof request,
			   "GET %s HTTP/1.1\r\nHost: bench\r\n\r\n", path);

	if (len >= (int)sizeof request) {
		end(v, FARM_REFUSED);
		return;
	}
	ssize_t sent = send(v->fd, request, (size_t)len, MSG_NOSIGNAL);
	if (sent == len)
		v->state = FARM_HEAD;
	else if (sent >= 0 || (errno != EAGAIN && errno != ENOTCONN))
		end(v, FARM_CLOSED);
}

static void take_packets(struct farm_viewer *v, struct check_totals *t,
			 const uint8_t *data, size_t len, uint64_t now_ns)
{
	if (len == 0)
		return;
	if (v->first_ns == 0) {
		v->first_ns = now_ns;
		v->pat_first = (data[1] & 0x1f) == 0 && data[2] == PAT_PID;
	}
	check_datagram(&v->check, t, data, len, now_ns);
}

static void take_body(struct farm_viewer *v, struct check_totals *t,
		      const uint8_t *data, size_t len, uint64_t now_ns)
{
	if (v->part_len > 0) {
		size_t n = MIN(len, FARM_PACKET - v->part_len);

		memcpy(v->part + v->part_len, data, n);
		v->part_len += n;
		data += n;
		len -= n;
		if (v->part_len < FARM_PACKET)
			return;
		take_packets(v, t, v->part, FARM_PACKET, now_ns);
	}
	size_t whole = len - len % FARM_PACKET;
	take_packets(v, t, data, whole, now_ns);
	v->part_len = len - whole;
	memcpy(v->part, data + whole, v->part_len);
}

/* How much of data belongs to the head; sets the state at its end. */
static size_t take_head(struct farm_viewer *v, const uint8_t *data, size_t len)
{
	size_t before = v->head_len;
	size_t n = MIN(len, sizeof v->head - 1 - before);

	memcpy(v->head + before, data, n);
	v->head_len += n;
	v->head[v->head_len] = '\0';
	const char *stop = strstr(v->head, "\r\n\r\n");
	if (stop == NULL) {
		if (v->head_len == sizeof v->head - 1)
			end(v, FARM_REFUSED);
		return n;
	}
	if (strncmp(v->head + strcspn(v->head, " "), " 200 ", 5) != 0) {
		end(v, FARM_REFUSED);
		return len;
	}
	v->state = FARM_BODY;
	return (size_t)(stop + 4 - v->head) - before;
}

void farm_viewer_read(struct farm_viewer *v, const char *path,
		      struct check_totals *t, uint8_t *scratch, size_t len,
		      uint64_t now_ns)
{
	if (v->state == FARM_CONNECTING)
		ask(v, path);
	while (v->state == FARM_HEAD || v->state == FARM_BODY) {
		ssize_t n = recv(v->fd, scratch, len, 0);
		size_t head = 0;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			end(v, FARM_CLOSED);
			return;
		}
		if (v->state == FARM_HEAD)
			head = take_head(v, scratch, (size_t)n);
		if (v->state == FARM_BODY)
			take_body(v, t, scratch + head, (size_t)n - head,
				  now_ns);
		if ((size_t)n < len)
			return;
	}
}
