/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A listener and its callers, both with libsrt. */
#include "worker/net/srt/srt_socket.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CALLS = 100 };

static uint64_t now_ns = UINT64_C(5000000000);

/* Replace those of libcommon: the second stops when a test asks for it. */
uint64_t mono_ns(void)
{
	return now_ns;
}

uint64_t mono_ms(void)
{
	return mono_ns() / 1000000;
}

static const struct srt_spec news = {
	.mode = SRT_LISTENER, .host = "127.0.0.1", .timeout_s = 60,
	.latency_ms = SRT_LATENCY_DEFAULT_MS, .streamid = "news",
};

/* "", or why the call was refused; polls at this interval. */
static struct errmsg call_asking(const struct sockaddr_any *to,
				 const char *streamid, unsigned after_us)
{
	struct srt_spec spec = news;
	struct errmsg error = { 0 };
	SRTSOCKET s;
	int r;

	spec.mode = SRT_CALLER;
	(void)snprintf(spec.streamid, sizeof spec.streamid, "%s", streamid);
	s = srt_socket_new(&spec, SRT_SENDS, &r, &error);
	cr_assert_eq(r, 0, "%s", error.text);
	cr_assert_eq(srt_socket_call(s, &spec, to, &error), 0, "%s",
		     error.text);
	while (r == 0) {
		if (after_us > 0)
			usleep(after_us);
		r = srt_socket_poll(s, &error);
	}
	srt_socket_close(&s);
	return error;
}

static struct errmsg call(const struct sockaddr_any *to, const char *streamid)
{
	return call_asking(to, streamid, 1000);
}

Test(srt_socket, a_caller_with_a_wrong_stream_id_takes_no_place)
{
	struct srt_listener l = { .socket = SRT_INVALID_SOCK, .epoll = -1 };
	struct sockaddr_any at = { .len = sizeof at.in };
	int len = sizeof at.in;
	struct errmsg error;

	srt_library_open();
	cr_assert_eq(srt_listener_open(&l, &news, SRT_RECEIVES, &error), 0,
		     "%s", error.text);
	cr_assert_eq(srt_getsockname(l.socket, &at.sa, &len), 0);
	for (int i = 0; i < SRT_CALLS_OF_HOST_MAX; i++) {
		error = call(&at, "sport");
		cr_assert_str_eq(error.text,
				 "refused by the peer (SRT reject code 1403)");
	}
	error = call(&at, "news");
	cr_assert_str_eq(error.text, "");
	srt_listener_close(&l);
}

/* Polls libsrt while it turns the call into a connection. */
Test(srt_socket, a_successful_call_never_reports_broken)
{
	struct srt_listener l = { .socket = SRT_INVALID_SOCK, .epoll = -1 };
	struct sockaddr_any at = { .len = sizeof at.in }, from;
	int len = sizeof at.in;
	struct errmsg error;

	srt_library_open();
	cr_assert_eq(srt_listener_open(&l, &news, SRT_RECEIVES, &error), 0,
		     "%s", error.text);
	cr_assert_eq(srt_getsockname(l.socket, &at.sa, &len), 0);
	for (int i = 0; i < CALLS; i++) {
		SRTSOCKET s;

		error = call_asking(&at, "news", 0);
		cr_assert_str_eq(error.text, "", "call %d: %s", i, error.text);
		s = srt_listener_accept(&l, &from);
		srt_socket_close(&s);
		/* so many calls in one second would be refused */
		now_ns += SECOND_NS;
	}
	srt_listener_close(&l);
}

static void on_line(enum log_level level, const char *component,
		    const char *text, void *arg)
{
	struct errmsg *told = arg;
	size_t len = strlen(told->text);

	(void)level, (void)component;
	(void)snprintf(told->text + len, sizeof told->text - len, "%s\n", text);
}

Test(srt_socket, repeated_refusals_are_counted_for_a_minute)
{
	struct srt_listener l = { .socket = SRT_INVALID_SOCK, .epoll = -1 };
	struct sockaddr_any from[2];
	struct link_stats link = { 0 };
	struct errmsg told = { 0 }, error;

	srt_library_open();
	cr_assert_eq(sockaddr_parse("192.0.2.1", 5000, &from[0]), 0);
	cr_assert_eq(sockaddr_parse("192.0.2.2", 5000, &from[1]), 0);
	cr_assert_eq(srt_listener_open(&l, &news, SRT_RECEIVES, &error), 0,
		     "%s", error.text);
	log_open(on_line, &told, LOG_LEVEL_INFO);
	for (int i = 0; i < 5; i++)
		srt_listener_refuse(&l, &from[0], "no");
	srt_listener_every_second(&l, &link);
	cr_assert_eq(link.value[LINK_REFUSED], 5);
	cr_assert_str_eq(told.text,
			 "srt port 0: 192.0.2.1: call refused: no\n");

	told.text[0] = '\0';
	srt_listener_refuse(&l, &from[1], "no");
	cr_assert_str_eq(told.text,
			 "srt port 0: calls refused since the last such "
			 "line: 4\n"
			 "srt port 0: 192.0.2.2: call refused: no\n");

	told.text[0] = '\0';
	srt_listener_refuse(&l, &from[1], "no");
	now_ns += UINT64_C(60000000000);
	srt_listener_every_second(&l, &link);
	srt_listener_every_second(&l, &link);
	cr_assert_str_eq(told.text,
			 "srt port 0: calls refused since the last such "
			 "line: 1\n");
	srt_listener_close(&l);
}

Test(srt_socket, is_bound_to_the_interface_with_an_address)
{
	struct srt_spec spec = news;
	struct errmsg error = { 0 };
	char name[32] = "";
	int r, len = sizeof name;
	SRTSOCKET s;

	srt_library_open();
	spec.mode = SRT_CALLER;
	(void)snprintf(spec.iface, sizeof spec.iface, "127.0.0.1");
	s = srt_socket_new(&spec, SRT_RECEIVES, &r, &error);
	cr_assert_neq(s, SRT_INVALID_SOCK, "%s", error.text);
	cr_assert_eq(srt_getsockflag(s, SRTO_BINDTODEVICE, name, &len), 0);
	cr_assert_str_eq(name, "lo");
	srt_socket_close(&s);

	(void)snprintf(spec.iface, sizeof spec.iface, "192.0.2.77");
	s = srt_socket_new(&spec, SRT_RECEIVES, &r, &error);
	cr_assert_eq(s, SRT_INVALID_SOCK);
	cr_assert_str_eq(error.text, "interface 192.0.2.77: there is none with "
				   "that address");
}

/* Without a listener the port is 0. */
static void listen_on_lo(struct srt_listener *l, struct srt_spec *spec,
			 struct sockaddr_any *ret)
{
	struct errmsg error = { 0 };
	int len = sizeof ret->in;

	*l = (struct srt_listener){ .socket = SRT_INVALID_SOCK, .epoll = -1 };
	(void)snprintf(spec->iface, sizeof spec->iface, "127.0.0.1");
	cr_assert_eq(srt_listener_open(l, spec, SRT_RECEIVES, &error), 0, "%s",
		     error.text);
	ret->len = sizeof ret->in;
	cr_assert_eq(srt_getsockname(l->socket, &ret->sa, &len), 0);
}

static unsigned bound_to(int fd)
{
	int index = 0;
	socklen_t len = sizeof index;

	cr_assert_eq(getsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &index,
				&len), 0);
	return (unsigned)index;
}

Test(srt_socket, a_listener_binds_to_the_interface_with_an_address)
{
	struct srt_spec spec = news;
	struct srt_listener l;
	struct sockaddr_any at;
	struct errmsg error;

	srt_library_open();
	listen_on_lo(&l, &spec, &at);
	cr_assert_eq(bound_to(l.place.fd), if_nametoindex("lo"));
	error = call(&at, "news");
	cr_assert_str_eq(error.text, "");
	srt_listener_close(&l);
}

/* libsrt keeps its socket for some seconds. */
Test(srt_socket, a_closed_listener_frees_its_port)
{
	struct srt_spec spec = news;
	struct srt_listener l;
	struct sockaddr_any at;
	struct errmsg error;

	srt_library_open();
	listen_on_lo(&l, &spec, &at);
	spec.port = (uint16_t)sockaddr_port(&at);
	for (int i = 0; i < 30; i++) {
		srt_listener_close(&l);
		cr_assert_eq(srt_listener_open(&l, &spec, SRT_RECEIVES, &error),
			     0, "%s", error.text);
	}
	cr_assert_str_eq(call(&at, "news").text, "");
	srt_listener_close(&l);
}

/* Nor does the socket that replaced it. */
Test(srt_socket, a_listener_does_not_share_its_port)
{
	struct srt_listener all[2], another = { 0 };
	struct srt_spec spec = news;
	struct sockaddr_any at;
	struct errmsg error = { 0 };

	srt_library_open();
	listen_on_lo(&all[0], &spec, &at);
	spec.port = (uint16_t)sockaddr_port(&at);
	srt_listener_close(&all[0]);
	listen_on_lo(&all[1], &spec, &at);
	cr_assert_eq(srt_listener_open(&another, &spec, SRT_RECEIVES, &error),
		     -EADDRINUSE);
	cr_assert(strstr(error.text, "Address already in use") != NULL, "%s",
		  error.text);
	srt_listener_close(&all[1]);
}
