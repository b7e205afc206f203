/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/page_client.h"

#include "common/base/fd.h"
#include "common/base/mono.h"

#include <errno.h>
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

static uint64_t cpu_us(const struct page_client *p)
{
	struct timespec t = { 0 };

	(void)clock_gettime(p->place->server, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void fail(struct page_client *p)
{
	p->failed = true;
	for (unsigned i = 0; i <= PAGE_CONNS; i++) {
		fd_close(&p->conns[i].fd);
		p->conns[i].busy = false;
	}
}

/* --- requests --- */

static unsigned step_size(const struct page_client *p)
{
	if (p->step == ASK_FILE)
		return p->n_files;
	return p->step == ASK_OVERVIEW ? ASK_KINDS - ASK_OVERVIEW : 1;
}

static void print_command(struct buf *to, const char *name)
{
	char body[32];
	int len = snprintf(body, sizeof body, "{\"cmd\":\"%s\"}", name);

	buf_printf(to, "Content-Length: %d\r\n\r\n%s", len, body);
}

/* A browser would accept gzip for the page, too: here its text is read. */
static void print_request(const struct page_conn *c, struct buf *to)
{
	static const char *const paths[] = {
		[ASK_PAGE] = "GET /",
		[ASK_FILE] = "GET /",
		[ASK_WHOAMI] = "POST /control/",
		[ASK_TOKEN] = "POST /control/",
		[ASK_EVENTS] = "GET /control/event/?token=",
		[ASK_OVERVIEW] = "GET /api/overview",
		[ASK_LOAD] = "POST /control/",
		[ASK_FORMS] = "GET /api/forms",
	};
	static const char *const commands[ASK_KINDS] = {
		[ASK_WHOAMI] = "whoami",
		[ASK_TOKEN] = "ws-token",
		[ASK_LOAD] = "load",
	};

	buf_printf(to, "%s", paths[c->ask]);
	if (c->ask == ASK_FILE)
		buf_append(to, c->file, strcspn(c->file, "\""));
	else if (c->ask == ASK_EVENTS)
		buf_printf(to, "%s&scope=alarm", c->page->token);
	buf_printf(to, " HTTP/1.1\r\nHost: bench\r\nCookie: svc_session=%s\r\n",
		   c->page->session);
	if (c->ask != ASK_PAGE)
		buf_printf(to, "Accept-Encoding: gzip\r\n");
	if (c->ask == ASK_EVENTS)
		buf_printf(to, "Upgrade: websocket\r\n"
			       "Connection: Upgrade\r\n");
	if (commands[c->ask] != NULL)
		print_command(to, commands[c->ask]);
	else
		buf_printf(to, "\r\n");
}

/* Sends the request, if the socket is connected. */
static void send_request(struct page_conn *c)
{
	struct buf text = { 0 };
	ssize_t n;

	print_request(c, &text);
	n = send(c->fd, buf_head(&text), buf_len(&text), MSG_NOSIGNAL);
	if (n == (ssize_t)buf_len(&text))
		c->sent = true;
	else if (n >= 0 || errno != EAGAIN)
		fail(c->page);
	buf_done(&text);
}

static bool open_socket(struct page_conn *c)
{
	const struct page_place *place = c->page->place;
	struct sockaddr_in own = { .sin_family = AF_INET };
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLET,
				 .data.ptr = c };

	own.sin_addr.s_addr = htonl(0x7f010000 + c->page->number);
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return c->fd >= 0 &&
	       bind(c->fd, (struct sockaddr *)&own, sizeof own) == 0 &&
	       (connect(c->fd, &place->to.sa, place->to.len) == 0 ||
		errno == EINPROGRESS) &&
	       epoll_ctl(place->poll, EPOLL_CTL_ADD, c->fd, &e) == 0;
}

/* The next request of the step. */
static void ask(struct page_client *p, struct page_conn *c)
{
	unsigned n = p->asked++;

	c->ask = p->step == ASK_OVERVIEW ? p->step + n : p->step;
	c->file = p->step == ASK_FILE ? p->files[n] : NULL;
	c->busy = true;
	c->sent = c->in_body = false;
	c->head_len = 0;
	c->asked_us = now_us();
	c->asked_cpu_us = cpu_us(p);
	if (c->fd < 0 && !open_socket(c))
		fail(p);
	else
		send_request(c);
}

/* Asks on each connection that is free for what this step has left. */
static void ask_rest(struct page_client *p)
{
	unsigned first = p->step == ASK_EVENTS ? PAGE_CONNS : 0;
	unsigned end = first == 0 ? PAGE_CONNS : PAGE_CONNS + 1;

	for (unsigned i = first; i < end; i++)
		if (!p->failed && !p->conns[i].busy &&
		    p->asked < step_size(p))
			ask(p, &p->conns[i]);
}

/* --- answers --- */

/* The addresses of the scripts and styles that the page names. */
static void list_files(struct page_client *p)
{
	const char *at = (const char *)buf_head(&p->text);

	while ((at = strstr(at, "=\"web/")) != NULL) {
		at += 2;
		if (p->n_files < PAGE_FILES_MAX)
			p->files[p->n_files++] = at;
	}
}

static void take_token(struct page_client *p)
{
	static const char mark[] = "\"token\":\"";
	const char *at = strstr((const char *)buf_head(&p->text), mark);
	size_t len;

	if (at == NULL)
		return;
	at += sizeof mark - 1;
	len = strcspn(at, "\"");
	if (len < sizeof p->token)
		memcpy(p->token, at, len);
}

static void end_step(struct page_client *p)
{
	if (p->step == ASK_PAGE || p->step == ASK_TOKEN)
		buf_append(&p->text, "", 1);
	if (p->step == ASK_PAGE)
		list_files(p);
	else if (p->step == ASK_TOKEN)
		take_token(p);
	if (p->step == ASK_FILE)
		buf_reset(&p->text, SIZE_MAX);
	p->step = p->step == ASK_OVERVIEW ? ASK_KINDS : p->step + 1;
	p->asked = p->answered = 0;
	if ((p->step == ASK_FILE && p->n_files == 0) ||
	    (p->step == ASK_EVENTS && p->token[0] == '\0'))
		fail(p);
}

static void end_answer(struct page_conn *c)
{
	struct page_client *p = c->page;
	uint64_t us = now_us() - c->asked_us;

	c->busy = false;
	if (c->ask == ASK_FILE)
		histogram_add(&p->place->files_us, us);
	else
		p->cpu_us[c->ask] = cpu_us(p) - c->asked_cpu_us;
	p->us[c->ask] = us;
	if (++p->answered == step_size(p))
		end_step(p);
	if (!p->failed && p->step != ASK_KINDS)
		ask_rest(p);
}

/* How much of data belongs to the head; 0: the answer is not as expected. */
static size_t take_head(struct page_conn *c, const uint8_t *data, size_t len)
{
	static const char field[] = "\r\nContent-Length: ";
	bool is_events = c->ask == ASK_EVENTS;
	size_t before = c->head_len, n = MIN(len, PAGE_HEAD - before);
	const char *end, *length;

	memcpy(c->head + before, data, n);
	c->head_len += n;
	c->head[c->head_len] = '\0';
	end = strstr(c->head, "\r\n\r\n");
	if (end == NULL)
		return c->head_len < PAGE_HEAD ? n : 0;
	length = strcasestr(c->head, field);
	if (strncmp(c->head, is_events ? "HTTP/1.1 101 " : "HTTP/1.1 200 ",
		    13) != 0 || (!is_events && length == NULL))
		return 0;
	c->left = is_events ? 0
			    : strtoul(length + strlen(field), NULL, 10);
	c->in_body = true;
	return (size_t)(end + 4 - c->head) - before;
}

static void take(struct page_conn *c, const uint8_t *data, size_t len)
{
	size_t head = 0;

	c->page->place->bytes += len;
	if (!c->busy)
		return; /* events */
	if (!c->in_body) {
		head = take_head(c, data, len);
		if (head == 0) {
			fail(c->page);
			return;
		}
	}
	if (!c->in_body)
		return;
	len -= head;
	if (c->ask != ASK_EVENTS && len > c->left) {
		fail(c->page);
		return;
	}
	if (c->ask == ASK_PAGE || c->ask == ASK_TOKEN)
		buf_append(&c->page->text, data + head, len);
	c->left -= MIN(len, c->left);
	if (c->left == 0)
		end_answer(c);
}

/* --- the page --- */

void page_client_start(struct page_client *p, struct page_place *place,
		       unsigned number, const char *session)
{
	memset(p, 0, sizeof *p);
	p->place = place;
	p->number = number;
	p->session = session;
	for (unsigned i = 0; i <= PAGE_CONNS; i++)
		p->conns[i] = (struct page_conn){ .page = p, .fd = -1 };
	ask_rest(p);
}

void page_client_done(struct page_client *p)
{
	for (unsigned i = 0; i <= PAGE_CONNS; i++)
		fd_close(&p->conns[i].fd);
	buf_done(&p->text);
}

void page_conn_ready(struct page_conn *c, uint8_t *scratch, size_t size)
{
	if (c->fd >= 0 && c->busy && !c->sent)
		send_request(c);
	while (c->fd >= 0) {
		ssize_t n = recv(c->fd, scratch, size, 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			fail(c->page);
		else
			take(c, scratch, (size_t)n);
	}
}
