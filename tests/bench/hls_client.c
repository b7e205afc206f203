/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/hls_client.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static uint64_t now_us(void)
{
	return mono_ns() / 1000;
}

void hls_client_init(struct hls_client *c, const struct hls_place *place,
		     unsigned number, uint64_t due_ms)
{
	memset(c, 0, sizeof *c);
	c->place = place;
	c->number = number;
	c->fd = -1;
	c->due_ms = due_ms;
}

void hls_client_done(struct hls_client *c)
{
	fd_close(&c->fd);
}

/* The answer is not whole: the next one comes on another connection. */
static void fail(struct hls_client *c)
{
	fd_close(&c->fd);
	if (c->is_segment)
		c->place->totals->missed++;
	else
		c->place->totals->failed++;
	c->state = HLS_CLIENT_RESTS;
}

static bool open_socket(struct hls_client *c)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLET,
				 .data.ptr = c };

	own.sin_addr.s_addr = htonl(0x7f010000 + c->number);
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return c->fd >= 0 &&
	       bind(c->fd, (struct sockaddr *)&own, sizeof own) == 0 &&
	       (connect(c->fd, &c->place->to.sa, c->place->to.len) == 0 ||
		errno == EINPROGRESS) &&
	       epoll_ctl(c->place->poll, EPOLL_CTL_ADD, c->fd, &e) == 0;
}

static size_t line_len(const char *line)
{
	return strcspn(line, "\n");
}

static const char *behind(const char *line)
{
	line += line_len(line);
	return *line != '\0' ? line + 1 : line;
}

/* Sends the request, if the socket is connected. */
static void ask(struct hls_client *c)
{
	const char *path = c->place->path;
	char text[512];
	ssize_t n;
	int len;

	if (c->is_segment)
		len = snprintf(text, sizeof text, "GET %.*s/%.*s",
			       (int)(strrchr(path, '/') - path), path,
			       (int)line_len(c->line), c->line);
	else
		len = snprintf(text, sizeof text, "GET %s", path);
	len += snprintf(text + len, sizeof text - (size_t)len,
			" HTTP/1.1\r\nHost: bench\r\n\r\n");
	n = send(c->fd, text, (size_t)len, MSG_NOSIGNAL);
	if (n == len)
		c->state = HLS_CLIENT_HEADS;
	else if (n >= 0 || errno != EAGAIN)
		fail(c);
}

static void begin(struct hls_client *c, bool segment)
{
	c->is_segment = segment;
	c->state = HLS_CLIENT_ASKS;
	c->head_len = 0;
	c->asked_us = now_us();
	if (!segment)
		c->list_len = 0;
	if (c->fd < 0 && !open_socket(c))
		fail(c);
	else
		ask(c);
}

/* Asks for the first segment of the list that is new, or rests. */
static void go_on(struct hls_client *c)
{
	for (; *c->line != '\0'; c->line = behind(c->line)) {
		if (*c->line == '#' || *c->line == '\n')
			continue;
		if (c->at++ < c->next)
			continue;
		c->next = c->at;
		begin(c, true);
		return;
	}
	c->state = HLS_CLIENT_RESTS;
}

static void read_list(struct hls_client *c)
{
	static const char tag[] = "#EXT-X-MEDIA-SEQUENCE:";
	const char *first;

	c->list[c->list_len] = '\0';
	first = strstr(c->list, tag);
	c->at = first != NULL ? strtoull(first + strlen(tag), NULL, 10) : 0;
	if (c->next > 0 && c->at > c->next)
		c->place->totals->missed += c->at - c->next;
	c->line = c->list;
	go_on(c);
}

static void end_answer(struct hls_client *c)
{
	struct hls_totals *t = c->place->totals;
	uint64_t us = now_us() - c->asked_us;

	if (!c->is_fine) {
		fail(c);
	} else if (c->is_segment) {
		t->segments++;
		histogram_add(&t->segment_us, us);
		c->line = behind(c->line);
		go_on(c);
	} else {
		t->playlists++;
		histogram_add(&t->playlist_us, us);
		read_list(c);
	}
}

/* How much of data belongs to the head; 0: the answer is no HTTP. */
static size_t take_head(struct hls_client *c, const uint8_t *data, size_t len)
{
	static const char field[] = "\r\nContent-Length: ";
	size_t before = c->head_len, n = MIN(len, HLS_CLIENT_HEAD - before);
	const char *end, *length;

	memcpy(c->head + before, data, n);
	c->head_len += n;
	c->head[c->head_len] = '\0';
	end = strstr(c->head, "\r\n\r\n");
	if (end == NULL)
		return c->head_len < HLS_CLIENT_HEAD ? n : 0;
	length = strcasestr(c->head, field);
	if (length == NULL)
		return 0;
	c->left = strtoul(length + strlen(field), NULL, 10);
	c->is_fine = strncmp(c->head, "HTTP/1.1 200 ", 13) == 0 &&
		     c->left > 0;
	c->state = HLS_CLIENT_BODY;
	return (size_t)(end + 4 - c->head) - before;
}

static bool take_body(struct hls_client *c, const uint8_t *data, size_t len)
{
	if (len > c->left)
		return false;
	c->left -= len;
	c->place->totals->bytes += len;
	if (c->is_segment || !c->is_fine)
		return true;
	if (len > HLS_CLIENT_LIST - c->list_len)
		return false;
	memcpy(c->list + c->list_len, data, len);
	c->list_len += len;
	return true;
}

static void take(struct hls_client *c, const uint8_t *data, size_t len)
{
	size_t head = 0;

	if (c->state == HLS_CLIENT_HEADS) {
		head = take_head(c, data, len);
		if (head == 0) {
			fail(c);
			return;
		}
	}
	if (c->state != HLS_CLIENT_BODY)
		return;
	if (!take_body(c, data + head, len - head))
		fail(c);
	else if (c->left == 0)
		end_answer(c);
}

void hls_client_turn(struct hls_client *c, uint64_t now_ms)
{
	if (c->state != HLS_CLIENT_RESTS || now_ms < c->due_ms)
		return;
	/* one that is late is not late for ever */
	c->due_ms = MAX(c->due_ms + HLS_CLIENT_TURN_MS,
			now_ms + HLS_CLIENT_TURN_MS / 2);
	begin(c, false);
}

void hls_client_ready(struct hls_client *c, uint8_t *scratch, size_t size)
{
	if (c->fd >= 0 && c->state == HLS_CLIENT_ASKS)
		ask(c);
	while (c->fd >= 0) {
		ssize_t n = recv(c->fd, scratch, size, 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		/* the server may close a connection that rests */
		if (n <= 0 && c->state == HLS_CLIENT_RESTS)
			fd_close(&c->fd);
		else if (n <= 0)
			fail(c);
		else
			take(c, scratch, (size_t)n);
	}
}
