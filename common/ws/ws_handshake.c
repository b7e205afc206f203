/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/ws/ws_handshake.h"

#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

enum { SHA1_LEN = 20, ACCEPT_LEN = 28 };

bool ws_handshake_wanted(const struct http_request *request)
{
	const char *upgrade = http_request_header(request, "upgrade");

	return upgrade != NULL && strcasecmp(upgrade, "websocket") == 0;
}

/* False when the library lacks SHA-1 (a restricted build). */
static bool accept_value(const char *key, char text[ACCEPT_LEN + 1])
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct buf both = { 0 };
	unsigned len = 0;
	int ok;

	buf_printf(&both, "%s%s", key, guid);
	ok = EVP_Digest(buf_head(&both), buf_len(&both), digest, &len,
			EVP_sha1(), NULL);
	buf_done(&both);
	if (!ok || len != SHA1_LEN)
		return false;
	(void)EVP_EncodeBlock((unsigned char *)text, digest, SHA1_LEN);
	return true;
}

void ws_handshake_write(struct buf *out, const struct http_request *request)
{
	const char *key = http_request_header(request, "sec-websocket-key");
	char accept[ACCEPT_LEN + 1];

	buf_printf(out, "HTTP/1.1 101 Switching Protocols\r\n"
			"Upgrade: websocket\r\n"
			"Connection: Upgrade\r\n");
	if (key != NULL && accept_value(key, accept))
		buf_printf(out, "Sec-WebSocket-Accept: %s\r\n", accept);
	buf_printf(out, "\r\n");
}
