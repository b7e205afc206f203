/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a listener reports after it refused a call.  Its clock stands still, so
 * that no refusal is too old to be reported. */
#include "worker/net/srt/srt_peer.h"
#include "worker/net/srt/srt_receivers.h"
#include "worker/output/admission.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PORT = 9000, POLL_US = 1000 };

/* Replace those of libcommon. */
uint64_t mono_ns(void)
{
	return UINT64_C(5000000000);
}

uint64_t mono_ms(void)
{
	return mono_ns() / 1000000;
}

/* On an address of this process alone: tests run side by side. */
static struct srt_spec listens(void)
{
	struct srt_spec spec = {
		.mode = SRT_LISTENER, .port = PORT, .timeout_s = 60,
		.latency_ms = SRT_LATENCY_DEFAULT_MS, .streamid = "news",
	};
	unsigned pid = (unsigned)getpid();

	(void)snprintf(spec.host, sizeof spec.host, "127.%u.%u.%u",
		       1 + (pid >> 16 & 127), pid >> 8 & 255, pid & 255);
	return spec;
}

/* Calls the listener; SRT_INVALID_SOCK: it refused the call. */
static SRTSOCKET call(const struct srt_spec *listener, const char *streamid)
{
	struct srt_spec spec = *listener;
	struct sockaddr_any to;
	struct errmsg error;
	SRTSOCKET s;
	int r;

	spec.mode = SRT_CALLER;
	(void)snprintf(spec.streamid, sizeof spec.streamid, "%s", streamid);
	cr_assert_eq(sockaddr_parse(spec.host, PORT, &to), 0);
	s = srt_socket_new(&spec, SRT_SENDS, &r, &error);
	cr_assert_eq(r, 0, "%s", error.text);
	cr_assert_eq(srt_socket_call(s, &spec, &to, &error), 0, "%s",
		     error.text);
	while (r = srt_socket_poll(s, &error), r == 0)
		usleep(POLL_US);
	if (r < 0)
		srt_socket_close(&s);
	return s;
}

static void wait_connected(struct srt_peer *p, int wanted)
{
	struct errmsg error;

	while (srt_peer_turn(p, &error) != wanted)
		usleep(POLL_US);
}

Test(srt_refusals, are_not_reported_after_a_connection)
{
	static const char left[] = SRT_WAITING "; 127.";
	struct srt_spec spec = listens();
	struct link_stats link = { 0 };
	struct errmsg error = { 0 };
	struct srt_peer p;
	SRTSOCKET caller;

	cr_assert_eq(srt_peer_open(&p, &spec, SRT_RECEIVES, &error), 0, "%s",
		     error.text);
	cr_assert_eq(call(&spec, "sport"), SRT_INVALID_SOCK);
	while (link.value[LINK_REFUSED] == 0)
		srt_peer_every_second(&p, &link);
	cr_assert_not_null(strstr(srt_peer_error(&p), "refused at"));

	caller = call(&spec, "news");
	cr_assert_neq(caller, SRT_INVALID_SOCK);
	wait_connected(&p, 1);
	cr_assert_null(srt_peer_error(&p));
	srt_socket_close(&caller);
	wait_connected(&p, 0);
	cr_assert_eq(strncmp(srt_peer_error(&p), left, sizeof left - 1), 0,
		     "%s", srt_peer_error(&p));
	cr_assert_not_null(strstr(srt_peer_error(&p), " disconnected at "),
			   "%s", srt_peer_error(&p));
	srt_peer_done(&p);
}

Test(srt_refusals, are_no_error_of_an_output_that_listens)
{
	struct output_spec spec = { .srt = listens(), .no_auth = true };
	struct asker asker = { .authorize = false };
	struct link_stats link = { 0 };
	struct errmsg error = { 0 };
	struct output *out;
	int r = 0;

	out = srt_receivers_open(&spec, &r, &error);
	cr_assert_not_null(out, "%s", error.text);
	out->asker = &asker;
	cr_assert_eq(call(&spec.srt, "sport"), SRT_INVALID_SOCK);
	while (link.value[LINK_REFUSED] == 0) {
		cr_assert_eq(out->ops->every_second(out, &error), 0);
		out->ops->stats(out, &link);
	}
	cr_assert_null(out->ops->error(out), "%s", out->ops->error(out));
	out->ops->free(out);
}
