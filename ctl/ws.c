/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ws.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum {
	/* bytes of a message; the service queues at most 1 MiB */
	MESSAGE_MAX = 2 * 1024 * 1024,
	HEAD_MAX = 16 * 1024, /* bytes of the head of the reply */
	PIECE = 64 * 1024,
	HANDSHAKE_MS = 10 * 1000,
	KEY_BYTES = 16, /* Sec-WebSocket-Key, before and after base64 */
	KEY_TEXT = 24,
};

struct ws {
	CURL *easy;
	int fd;
	struct ws_reader *reader;
	struct buf in;
};

void ws_free(struct ws **ws)
{
	struct ws *w = *ws;

	if (w == NULL)
		return;
	curl_easy_cleanup(w->easy);
	ws_reader_free(&w->reader);
	buf_done(&w->in);
	free(w);
	*ws = NULL;
}

int ws_fd(const struct ws *w)
{
	return w->fd;
}

static int wait_for(const struct ws *w, short events, uint64_t end_ms)
{
	struct pollfd poll_fd = { .fd = w->fd, .events = events };
	uint64_t now = mono_ms();
	int n = now < end_ms ? poll(&poll_fd, 1, (int)(end_ms - now)) : 0;

	return n > 0 || (n < 0 && errno == EINTR) ? 0 : -ETIMEDOUT;
}

static int send_all(struct ws *w, const void *data, size_t len)
{
	uint64_t end = mono_ms() + HANDSHAKE_MS;
	const char *bytes = data;
	int r = 0;

	while (r == 0 && len > 0) {
		size_t n = 0;
		CURLcode code = curl_easy_send(w->easy, bytes, len, &n);

		bytes += n;
		len -= n;
		if (code == CURLE_AGAIN)
			r = wait_for(w, POLLOUT, end);
		else if (code != CURLE_OK)
			r = -ECONNRESET;
	}
	return r;
}

/* Receives the bytes that are available.  0; -EAGAIN: there are none;
 * -ECONNRESET: the connection has ended. */
static int receive(struct ws *w)
{
	size_t n = 0;
	CURLcode code = curl_easy_recv(w->easy, buf_reserve(&w->in, PIECE),
				       PIECE, &n);

	buf_added(&w->in, n);
	if (code == CURLE_AGAIN)
		return -EAGAIN;
	return code == CURLE_OK && n > 0 ? 0 : -ECONNRESET;
}

/* --- the handshake --- */

static void random_bytes(uint8_t *bytes, size_t n)
{
	if (getrandom(bytes, n, 0) != (ssize_t)n)
		abort();
}

static int send_request(struct ws *w, const char *path)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	struct buf request = { 0 };
	uint8_t bytes[KEY_BYTES];
	char key[KEY_TEXT + 1];
	char *host = NULL, *url = NULL;
	CURLU *parts = curl_url();
	int r;

	(void)curl_easy_getinfo(w->easy, CURLINFO_EFFECTIVE_URL, &url);
	if (curl_url_set(parts, CURLUPART_URL, url, 0) != CURLUE_OK ||
	    curl_url_get(parts, CURLUPART_HOST, &host, 0) != CURLUE_OK)
		abort();
	/* Sec-WebSocket-Key (RFC 6455 4.1): the base64 text of 16 random bytes.
	 * They have 22 digits; in the last one only the upper two bits may be
	 * set, so it is 'A'. */
	random_bytes(bytes, sizeof bytes);
	for (size_t i = 0; i < KEY_TEXT; i++)
		key[i] = digits[bytes[i % KEY_BYTES] % 64];
	memcpy(key + 21, "A==", 4);
	buf_printf(&request, "GET %s HTTP/1.1\r\nHost: %s\r\n"
		   "Upgrade: websocket\r\nConnection: Upgrade\r\n"
		   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n"
		   "\r\n", path, host, key);
	r = send_all(w, buf_head(&request), buf_len(&request));
	buf_done(&request);
	curl_free(host);
	curl_url_cleanup(parts);
	return r;
}

/* Consumes the head of the reply.  0; -EAGAIN: it is incomplete; -EPROTO: it is
 * too long or not HTTP/1.1. */
static int take_head(struct ws *w, long *ret_status)
{
	static const char end[] = "\r\n\r\n", version[] = "HTTP/1.1 ";
	const uint8_t *at = memmem(buf_head(&w->in), buf_len(&w->in), end, 4);

	if (at == NULL)
		return buf_len(&w->in) > HEAD_MAX ? -EPROTO : -EAGAIN;
	if (memcmp(buf_head(&w->in), version, sizeof version - 1) != 0)
		return -EPROTO;
	*ret_status = strtol((char *)buf_head(&w->in) + sizeof version - 1,
			     NULL, 10);
	buf_take(&w->in, (size_t)(at + 4 - buf_head(&w->in)));
	return 0;
}

static int shake_hands(struct ws *w, const char *path, long *ret_status)
{
	uint64_t end = mono_ms() + HANDSHAKE_MS;
	int r = send_request(w, path);

	while (r == 0) {
		r = receive(w);
		if (r == 0) {
			r = take_head(w, ret_status);
			if (r != -EAGAIN)
				break;
			r = 0;
		} else if (r == -EAGAIN) {
			r = wait_for(w, POLLIN, end);
		}
	}
	return r;
}

struct ws *ws_open(struct client *client, const char *path, long *ret_status,
		   struct errmsg *error)
{
	CURL *easy = client_connect(client, error);
	curl_socket_t fd = CURL_SOCKET_BAD;
	long status = 0;
	struct ws *w;
	int r;

	*ret_status = 0;
	if (easy == NULL)
		return NULL;
	w = xcalloc(1, sizeof *w);
	w->easy = easy;
	w->reader = ws_reader_new_of_server(MESSAGE_MAX);
	(void)curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &fd);
	w->fd = (int)fd;
	r = shake_hands(w, path, &status);
	if (r < 0)
		errmsg_set(error, "the event channel: %s", strerror(-r));
	else if (status != 101)
		errmsg_set(error, "the event channel is refused: status %ld",
			   status);
	if (r < 0 || status != 101) {
		*ret_status = status;
		ws_free(&w);
	}
	return w;
}

/* --- frames --- */

static int send_frame(struct ws *w, bool pong, const void *data, size_t len)
{
	struct buf frame = { 0 };
	uint8_t mask[WS_MASK];
	int r;

	random_bytes(mask, sizeof mask);
	if (pong)
		ws_write_pong_masked(&frame, data, len, mask);
	else
		ws_write_text_masked(&frame, data, len, mask);
	r = send_all(w, buf_head(&frame), buf_len(&frame));
	buf_done(&frame);
	return r;
}

int ws_send(struct ws *w, const char *text)
{
	return send_frame(w, false, text, strlen(text));
}

enum ws_event ws_next(struct ws *w, const char **ret, size_t *ret_len,
		      struct errmsg *error)
{
	for (;;) {
		enum ws_event event = ws_reader_feed(w->reader, &w->in);
		const uint8_t *payload = ws_reader_payload(w->reader, ret_len);
		bool stops = event == WS_CLOSE && *ret_len >= 2 &&
			     (payload[0] << 8 | payload[1]) == WS_GOING_AWAY;
		int r = 0;

		*ret = (const char *)payload;
		switch (event) {
		case WS_TEXT:
		case WS_PONG:
			return event;
		case WS_PING:
			r = send_frame(w, true, payload, *ret_len);
			break;
		case WS_MORE:
			r = receive(w);
			break;
		default:
			errmsg_set(error, "%s", event != WS_CLOSE
				   ? "received a frame that is no event"
				   : stops ? "the service stops or restarts"
					   : "the connection was closed");
			return WS_CLOSE;
		}
		if (r == -EAGAIN)
			return WS_MORE;
		if (r < 0) {
			errmsg_set(error, "the connection was lost");
			return WS_CLOSE;
		}
	}
}
