/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/control_socket.h"

#include "common/base/fd.h"
#include "common/http/server.h"
#include "common/supervise/handover.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A master with its control socket. */
struct bench {
	struct ev_loop *loop;
	struct http_server *http;
	struct control_socket socket;
	struct sockaddr_any address;
	struct errmsg error;
};

static struct sockaddr_any at(const char *host, uint16_t port)
{
	struct sockaddr_any any;

	cr_assert_eq(sockaddr_parse(host, port, &any), 0);
	return any;
}

/* Starts a master with this address. */
static int open_bench(struct bench *b, struct handover *h, const char *host,
		      uint16_t port)
{
	*b = (struct bench){ .loop = ev_loop_new(EVFLAG_NOENV),
			     .address = at(host, port),
			     .error = { "of an earlier call" } };
	b->http = http_server_new(&(struct http_server_config){
		.loop = b->loop,
		.retire_ms = 1,
	});
	return control_socket_open(&b->socket, b->http, h, &b->address,
				   &b->error);
}

/* Ends its start. */
static void settle(struct bench *b)
{
	control_socket_settle(&b->socket, b->http);
	while (http_server_fd(b->http, 1) >= 0)
		ev_run(b->loop, EVRUN_ONCE);
}

static void close_bench(struct bench *b)
{
	http_server_free(&b->http);
	ev_loop_destroy(b->loop);
}

static struct sockaddr_any bound(const struct bench *b, size_t i)
{
	struct sockaddr_any any;

	cr_assert_eq(sockaddr_of_listener(http_server_fd(b->http, i), &any),
		     0);
	return any;
}

static uint16_t port_of(const struct bench *b)
{
	struct sockaddr_any any = bound(b, 0);

	return sockaddr_port(&any);
}

static bool is_at(const struct bench *b, size_t i, const char *host)
{
	struct sockaddr_any is = bound(b, i);
	struct sockaddr_any wanted = at(host, sockaddr_port(&is));

	return sockaddr_equal(&is, &wanted);
}

/* As the next master reads it; the descriptors are copies. */
static struct handover *read_back(struct handover **take)
{
	json_t *document = json_object(), *fds = json_object(), *value;
	struct errmsg error = { 0 };
	struct handover *h;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)handover_fds(*take), name,
			    value)
		(void)json_object_set_new(fds, name, json_integer(
			dup((int)json_integer_value(value))));
	(void)json_object_update(document, handover_document(*take));
	(void)json_object_set_new(document, "fds", fds);
	h = handover_of(document, &error);
	cr_assert_not_null(h, "%s", error.text);
	handover_free(take);
	return h;
}

static struct handover *hand_over(struct bench *b, uint64_t *last)
{
	struct handover *h = handover_new(last);

	control_socket_write(&b->socket, b->http, h);
	return read_back(&h);
}

Test(control_socket, is_adopted_with_the_same_address)
{
	uint64_t last = 0;
	struct bench old, new;
	struct handover *h;

	cr_assert_eq(open_bench(&old, NULL, "127.0.0.1", 0), 0);
	h = hand_over(&old, &last);
	cr_assert_eq(old.socket.number, 1);
	cr_assert_eq(open_bench(&new, h, "127.0.0.1", port_of(&old)), 0);
	cr_assert_eq(new.socket.number, 1);
	cr_assert_eq(new.socket.former, -1);
	cr_assert_str_empty(new.error.text);
	settle(&new);
	cr_assert(is_at(&new, 0, "127.0.0.1"));
	cr_assert_eq(http_server_fd(new.http, 1), -1);
	handover_free(&h);
	close_bench(&old);
	close_bench(&new);
}

Test(control_socket, moves_to_another_address_of_its_port)
{
	uint64_t last = 0;
	struct bench old, new;
	struct handover *h;

	cr_assert_eq(open_bench(&old, NULL, "127.0.0.1", 0), 0);
	h = hand_over(&old, &last);
	cr_assert_eq(open_bench(&new, h, "0.0.0.0", port_of(&old)), 0);
	cr_assert_str_empty(new.error.text);
	/* the first socket is that of the next handover, by another name */
	cr_assert(is_at(&new, 0, "0.0.0.0"));
	cr_assert(is_at(&new, 1, "127.0.0.1"));
	cr_assert_eq(new.socket.number, 0);
	settle(&new);
	cr_assert_eq(new.socket.former, -1);
	cr_assert(is_at(&new, 0, "0.0.0.0"));
	cr_assert_eq(http_server_fd(new.http, 1), -1);
	handover_free(&h);
	close_bench(&old);
	close_bench(&new);
}

Test(control_socket, stays_if_the_new_address_is_in_use)
{
	uint64_t last = 0;
	struct bench old, other, new;
	struct handover *h;
	uint16_t port;

	cr_assert_eq(open_bench(&old, NULL, "127.0.0.1", 0), 0);
	port = port_of(&old);
	cr_assert_eq(open_bench(&other, NULL, "127.0.0.2", port), 0);
	h = hand_over(&old, &last);
	cr_assert_eq(open_bench(&new, h, "0.0.0.0", port), 0);
	cr_assert_not_null(strstr(new.error.text, ": Address already in use: "
				  "keeping the old port"));
	cr_assert(is_at(&new, 0, "127.0.0.1"));
	cr_assert_eq(new.socket.number, 1);
	cr_assert_eq(new.socket.former, -1);
	cr_assert_eq(memcmp(&new.address.in.sin_addr, "\x7f\0\0\1", 4), 0);
	handover_free(&h);
	close_bench(&old);
	close_bench(&other);
	close_bench(&new);
}

Test(control_socket, a_trial_opens_none)
{
	uint64_t last = 0;
	struct bench old, new;
	struct handover *h;

	cr_assert_eq(open_bench(&old, NULL, "0.0.0.0", 0), 0);
	h = hand_over(&old, &last);
	handover_set_trial(h);
	cr_assert_eq(open_bench(&new, h, "127.0.0.1", port_of(&old)), 0);
	cr_assert(is_at(&new, 0, "0.0.0.0"));
	cr_assert_eq(http_server_fd(new.http, 1), -1);
	settle(&new);
	cr_assert(is_at(&old, 0, "0.0.0.0"));
	handover_free(&h);
	close_bench(&old);
	close_bench(&new);
}

/* Two sockets of the store of systemd, in both orders; the port changes, or the
 * address. */
static void after_crash(bool new_first, bool other_port)
{
	uint64_t last = 0, number[2] = { 0, 0 };
	struct handover *h = handover_new(&last);
	struct bench old, new, next, again;
	int fds[2];
	uint16_t port;

	cr_assert_eq(open_bench(&old, NULL, "127.0.0.1", 0), 0);
	cr_assert_eq(open_bench(&new, NULL, "127.0.0.2",
				other_port ? 0 : port_of(&old)), 0);
	fds[new_first] = http_server_fd(old.http, 0);
	fds[!new_first] = http_server_fd(new.http, 0);
	for (unsigned i = 0; i < 2; i++)
		json_decref(handover_put(h, 'h', &number[i], fds[i]));
	h = read_back(&h);
	cr_assert_eq(open_bench(&next, h, "127.0.0.2", port_of(&new)), 0);
	cr_assert_eq(next.socket.number, number[!new_first]);
	cr_assert(is_at(&next, 0, "127.0.0.2"));
	cr_assert_eq(http_server_fd(next.http, 1), -1);
	cr_assert_str_empty(next.error.text);
	handover_free(&h);
	port = port_of(&old);
	close_bench(&old);
	/* no copy of it is left */
	cr_assert_eq(open_bench(&again, NULL, "127.0.0.1", port), 0);
	close_bench(&again);
	close_bench(&new);
	close_bench(&next);
}

Test(control_socket, after_a_crash_the_one_with_its_address_is_adopted)
{
	after_crash(false, false);
	after_crash(true, false);
	after_crash(false, true);
	after_crash(true, true);
}

Test(control_socket, one_that_was_retired_is_not_adopted)
{
	uint64_t last = 0;
	struct bench old, new;
	struct handover *h;
	uint16_t port;

	cr_assert_eq(open_bench(&old, NULL, "127.0.0.1", 0), 0);
	port = port_of(&old);
	h = hand_over(&old, &last);
	http_server_retire(old.http, http_server_fd(old.http, 0));
	while (http_server_fd(old.http, 0) >= 0)
		ev_run(old.loop, EVRUN_ONCE);
	cr_assert_eq(open_bench(&new, h, "0.0.0.0", port), 0);
	cr_assert_eq(new.socket.number, 0);
	cr_assert(is_at(&new, 0, "0.0.0.0"));
	cr_assert_str_empty(new.error.text);
	handover_free(&h);
	close_bench(&old);
	close_bench(&new);
}
