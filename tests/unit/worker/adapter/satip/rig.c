/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/adapter/satip/rig.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void on_media(const uint8_t *data, size_t len, void *arg)
{
	struct rig *rig = arg;

	(void)data, (void)len;
	rig->media++;
}

void rig_want(struct rig *rig, size_t n, ...)
{
	uint16_t pids[8];
	va_list list;

	va_start(list, n);
	for (size_t i = 0; i < n; i++)
		pids[i] = (uint16_t)va_arg(list, int);
	va_end(list);
	satip_session_want(&rig->s, pids, n);
}

void rig_begin_with(struct rig *rig, enum satip_transport transport,
		       bool lists)
{
	struct satip_config cfg = {
		.host = "192.0.2.1:554", .query = "src=1&freq=11362",
		.transport = transport, .client_port = 5000,
		.on_media = on_media, .arg = rig,
	};

	*rig = (struct rig){ .now_ns = START_NS };
	cfg.whole = !lists;
	satip_session_init(&rig->s, &cfg);
	rig_want(rig, 3, 0, 17, 256);
	satip_session_turn(&rig->s, rig->now_ns);
	cr_assert_eq(rig->s.state, SATIP_CONNECT);
	satip_session_connected(&rig->s, rig->now_ns);
	cr_assert_eq(rig->s.state, SATIP_SETUP);
}

void rig_begin(struct rig *rig, enum satip_transport transport)
{
	rig_begin_with(rig, transport, false);
}

void rig_finish(struct rig *rig)
{
	buf_done(&rig->in);
	satip_session_done(&rig->s);
}

bool rig_take_request(struct rig *rig)
{
	size_t len = buf_len(&rig->s.out);

	if (len == 0)
		return false;
	cr_assert_lt(len, sizeof rig->last);
	memcpy(rig->last, buf_head(&rig->s.out), len);
	rig->last[len] = '\0';
	buf_take(&rig->s.out, len);
	rig->requests++;
	return true;
}

void rig_pass(struct rig *rig, unsigned ms)
{
	for (unsigned i = 0; i < ms; i += 100) {
		rig->now_ns += 100 * MS;
		satip_session_turn(&rig->s, rig->now_ns);
	}
}

static void feed(struct rig *rig)
{
	satip_session_feed(&rig->s, &rig->in, rig->now_ns);
}

void rig_reply(struct rig *rig, const char *text)
{
	const char *cseq = strstr(rig->last, "CSeq: ");

	for (; *text != '\0'; text++) {
		switch (*text) {
		case '@':
			buf_printf(&rig->in, "%lu",
				   strtoul(cseq + strlen("CSeq: "), NULL, 10));
			break;
		case '^':
			buf_append(&rig->in, "", 1);
			break;
		case '~': /* SILENCE */
			feed(rig);
			rig_pass(rig, SATIP_CONNECT_MS);
			break;
		case '!': /* CLOSE */
			feed(rig);
			buf_reset(&rig->in, 0);
			satip_session_closed(&rig->s, "closed by the server",
					     rig->now_ns);
			break;
		default:
			buf_append(&rig->in, text, 1);
		}
	}
	feed(rig);
}

void rig_serve(struct rig *rig, const char *const *replies)
{
	for (size_t i = 0; i < REPLIES_MAX && replies[i] != NULL; i++) {
		cr_assert(rig_take_request(rig), "%s: no request before it: %s",
			  replies[i], rig->s.error.text);
		rig_reply(rig, replies[i]);
	}
}

void rig_report(struct rig *rig, const char *tuner)
{
	uint8_t data[128] = { 0x80, 204, 0, 0, 1, 2, 3, 4,
			      'S', 'E', 'S', '1' };
	size_t len = strlen(tuner);

	data[3] = (uint8_t)((16 + len + 3) / 4 - 1);
	data[15] = (uint8_t)len;
	memcpy(data + 16, tuner, len);
	satip_session_rtcp(&rig->s, data, 16 + (len + 3) / 4 * 4, rig->now_ns);
}

void rig_play(struct rig *rig, enum satip_transport transport)
{
	const char *const replies[REPLIES_MAX] = {
		transport == SATIP_UDP ? SETUP : HEAD SESSION TCP "\r\n", OK,
	};

	rig_begin(rig, transport);
	rig_serve(rig, replies);
	cr_assert_eq(rig->s.state, SATIP_ON);
}
