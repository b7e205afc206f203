/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/ws_client.h"

#include "common/base/fd.h"
#include "common/base/mono.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	READ_SIZE = 64 << 10,
	READS_MAX = 8,
	FRAME_HEAD = 10,
	OP_TEXT = 1,
	OP_CLOSE = 8,
};

static int say(int fd, const char *path)
{
	struct buf text = { 0 };
	ssize_t n;

	buf_printf(&text, "GET %s HTTP/1.1\r\nHost: localhost\r\n"
			  "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		   path);
	n = send(fd, buf_head(&text), buf_len(&text), MSG_NOSIGNAL);
	n = n == (ssize_t)buf_len(&text) ? 0 : -EPIPE;
	buf_done(&text);
	return (int)n;
}

int ws_client_open(struct ws_client *c, const struct sockaddr_any *to,
		   const char *path, int rcvbuf)
{
	int r = 0;

	*c = (struct ws_client){
		.fd = socket(to->sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0),
	};
	if (c->fd < 0)
		return -errno;
	if (rcvbuf > 0)
		(void)setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf,
				 sizeof rcvbuf);
	if (connect(c->fd, &to->sa, to->len) < 0)
		r = -errno;
	if (r == 0)
		r = say(c->fd, path);
	if (r == 0)
		r = fd_set_nonblock(c->fd);
	if (r < 0)
		fd_close(&c->fd);
	return r;
}

void ws_client_close(struct ws_client *c)
{
	fd_close(&c->fd);
	buf_done(&c->in);
}

/* True once the answer to the handshake was taken. */
static bool take_greeting(struct ws_client *c)
{
	const char *text = (const char *)buf_head(&c->in);
	const char *end = buf_len(&c->in) == 0 ? NULL
		: memmem(text, buf_len(&c->in), "\r\n\r\n", 4);

	if (end == NULL)
		return false;
	if (strncmp(text, "HTTP/1.1 101 ", 13) != 0) {
		fd_close(&c->fd);
		return false;
	}
	c->open = true;
	buf_take(&c->in, (size_t)(end + 4 - text));
	return true;
}

static void take_text(struct ws_client *c, const char *text, size_t len,
		      struct ws_totals *totals)
{
	static const char mark[] = "\"src\":\"";
	const char *at = memmem(text, len, mark, sizeof mark - 1);
	uint64_t number, sent_ns, now_ns = mono_ns();
	char *end;

	if (at == NULL) {
		totals->others++;
		return;
	}
	/* the text ends with a quote: no digit is read behind it */
	number = strtoull(at + sizeof mark - 1, &end, 10);
	sent_ns = strtoull(end, NULL, 10);
	totals->messages++;
	totals->out_of_order += number != c->next;
	c->next = number + 1;
	if (now_ns > sent_ns)
		histogram_add(&totals->delay_us, (now_ns - sent_ns) / 1000);
}

/* Length of head and payload; 0: not all of the head is there. */
static size_t measure(const uint8_t *data, size_t len, size_t *ret_payload)
{
	size_t head = 2, n;

	if (len < FRAME_HEAD && (len < 2 || len < 2 + (size_t)data[1]))
		return 0;
	n = data[1] & 127;
	if (n == 126) {
		n = (size_t)data[2] << 8 | data[3];
		head = 4;
	} else if (n == 127) {
		n = 0;
		for (head = 2; head < 10; head++)
			n = n << 8 | data[head];
	}
	*ret_payload = n;
	return head;
}

static bool take_frame(struct ws_client *c, struct ws_totals *totals)
{
	const uint8_t *data = buf_head(&c->in);
	size_t payload, head = measure(data, buf_len(&c->in), &payload);

	if (head == 0 || buf_len(&c->in) < head + payload)
		return false;
	if ((data[0] & 15) == OP_TEXT)
		take_text(c, (const char *)data + head, payload, totals);
	else if ((data[0] & 15) == OP_CLOSE)
		c->told = true;
	buf_take(&c->in, head + payload);
	return true;
}

void ws_client_read(struct ws_client *c, struct ws_totals *totals)
{
	for (unsigned i = 0; i < READS_MAX && c->fd >= 0; i++) {
		ssize_t n = recv(c->fd, buf_reserve(&c->in, READ_SIZE),
				 READ_SIZE, 0);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			fd_close(&c->fd);
			return;
		}
		buf_added(&c->in, (size_t)n);
		if (c->open || take_greeting(c))
			while (take_frame(c, totals))
				continue;
		if (n < READ_SIZE)
			return;
	}
}
