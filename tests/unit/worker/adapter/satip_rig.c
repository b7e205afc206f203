/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/adapter/satip_rig.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_packets(const struct ts_run *runs, size_t n, void *arg)
{
	struct rig *rig = arg;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			if (ts_pid(runs[i].data + k * TS_PACKET) == PID)
				rig->packets++;
			else
				rig->foreign++;
		}
	}
}

void rig_begin(struct rig *rig, const char *transport)
{
	char at[SOCKADDR_TEXT_MAX];
	json_t *adapter;

	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &rig->at), 0);
	rig->client = rig->at;
	rig->connection = -1;
	rig->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	rig->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC |
			       SOCK_NONBLOCK, 0);
	cr_assert_eq(bind(rig->listener, &rig->at.sa, rig->at.len), 0);
	cr_assert_eq(listen(rig->listener, 4), 0);
	cr_assert_eq(getsockname(rig->listener, &rig->at.sa, &rig->at.len), 0);
	sockaddr_format(&rig->at, at);
	if (rig->name != NULL)
		snprintf(at, sizeof at, "%s:%u", rig->name,
			 sockaddr_port(&rig->at));
	adapter = json_pack("{s:s,s:s,s:i,s:s,s:i,s:s,s:b}", "server", at,
			    "type", "S", "frequency", 11362, "polarization",
			    "H", "symbolrate", 22000, "transport", transport,
			    "budget", !rig->lists);
	batch_init(&rig->batch, on_packets, rig);
	rig->source = satip_source_open(adapter, NULL, mono_ns());
	json_decref(adapter);
}

static void answer(struct rig *rig, const char *status, const char *fields)
{
	const char *cseq = strstr(rig->request, "CSeq: ");
	char text[512];
	int n = snprintf(text, sizeof text, "RTSP/1.0 %s\r\nCSeq: %lu\r\n%s"
			 "\r\n", status, strtoul(cseq + 6, NULL, 10), fields);

	cr_assert_eq(send(rig->connection, text, (size_t)n, MSG_NOSIGNAL), n);
}

static void set_up(struct rig *rig)
{
	const char *port = strstr(rig->request, "client_port=");
	char fields[256];

	rig->setups++;
	if (port != NULL)
		sockaddr_set_port(&rig->client,
				  (uint16_t)strtoul(port + 12, NULL, 10));
	if (rig->busy) {
		rig->busy = false;
		answer(rig, "503 Service Unavailable", "");
		return;
	}
	snprintf(fields, sizeof fields, "Session: 1;timeout=30\r\n"
		 "com.ses.streamID: 3\r\nTransport: %s%s%s\r\n",
		 rig->transport != NULL ? rig->transport
		 : rig->tcp ? "RTP/AVP/TCP;unicast;interleaved=0-1"
			    : "RTP/AVP;unicast",
		 rig->from != NULL ? ";source=" : "",
		 rig->from != NULL ? rig->from : "");
	answer(rig, "200 OK", fields);
}

static void serve_request(struct rig *rig)
{
	if (strncmp(rig->request, "SETUP ", 6) == 0) {
		set_up(rig);
	} else if (strncmp(rig->request, "PLAY ", 5) == 0) {
		cr_assert_not_null(strstr(rig->request, rig->lists
					  ? "/stream=3" : "/stream=3 "));
		answer(rig, "200 OK", "");
		rig->playing = true;
	} else if (strncmp(rig->request, "TEARDOWN ", 9) == 0) {
		rig->torn_down = true;
		rig->playing = false;
		answer(rig, "200 OK", "");
	} else {
		answer(rig, "200 OK", "");
	}
}

void rig_make_rtp(uint8_t rtp[DATAGRAM], uint16_t seq, unsigned pid)
{
	uint8_t *ts = rtp + RTP_HEADER;

	rtp[0] = 0x80;
	rtp[1] = RTP_PAYLOAD_MP2T;
	rtp_put16(rtp + 2, seq);
	ts[0] = TS_SYNC_BYTE;
	rtp_put16(ts + 1, (uint16_t)pid);
	ts[3] = 0x10;
}

void rig_send_packet(struct rig *rig)
{
	uint8_t frame[4 + DATAGRAM] = { '$', 0, 0, DATAGRAM };
	uint8_t *rtp = frame + 4;

	rig_make_rtp(rtp, rig->seq++, PID);
	rtp_put32(rtp + 8, rig->ssrc);
	if (rig->tables != NULL)
		memcpy(rtp + RTP_HEADER, rig->tables->data +
		       rig->seq % rig->tables->n * TS_PACKET, TS_PACKET);
	if (rig->tcp)
		(void)!send(rig->connection, frame, sizeof frame,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
	else
		(void)!sendto(rig->udp, rtp, DATAGRAM, 0, &rig->client.sa,
			      rig->client.len);
}

void rig_serve(struct rig *rig)
{
	ssize_t n;

	if (rig->connection < 0) {
		rig->connection = accept(rig->listener, NULL, NULL);
		rig->accepted += rig->connection >= 0;
		rig->len = 0;
	}
	if (rig->connection < 0)
		return;
	n = recv(rig->connection, rig->request + rig->len,
		 sizeof rig->request - 1 - rig->len, MSG_DONTWAIT);
	if (n == 0) {
		fd_close(&rig->connection);
		rig->playing = false;
		return;
	}
	rig->len += n > 0 ? (size_t)n : 0;
	rig->request[rig->len] = '\0';
	if (rig->len > 0 && strstr(rig->request, "\r\n\r\n") != NULL) {
		serve_request(rig);
		rig->len = 0;
	}
	if (rig->playing && !rig->quiet)
		rig_send_packet(rig);
}

/* Serves and reads until the counter is so high. */
void rig_run_until(struct rig *rig, const unsigned *counter, unsigned n)
{
	for (int ms = 0; ms < LIMIT_MS && *counter < n; ms++) {
		rig_serve(rig);
		while (rig->source->ops->read(rig->source, &rig->batch,
					      mono_ns()) > 0)
			;
		(void)poll(NULL, 0, 1);
	}
	cr_assert_geq(*counter, n);
	cr_assert(rig->tables != NULL || rig->foreign == 0);
}

void rig_run(struct rig *rig, unsigned packets)
{
	rig_run_until(rig, &rig->packets, packets);
}

void rig_finish(struct rig *rig)
{
	fd_close(&rig->connection);
	fd_close(&rig->listener);
	fd_close(&rig->udp);
	if (rig->source != NULL)
		rig->source->ops->free(rig->source);
}

struct source_report rig_report(struct rig *rig)
{
	struct source_report r = { 0 };

	rig->source->ops->every_second(rig->source, mono_ns(), &r);
	return r;
}
