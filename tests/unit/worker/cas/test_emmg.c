/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/emmg.h"

#include "common/base/fd.h"
#include "worker/cas/emmg_client.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CHANNEL = 7, STREAM = 3, PLACES = 8 };

static struct ev_loop *loop;
static struct emmg_client *client;
static unsigned kbps = 8, packets, sections;
static const char *gone;

static unsigned left(void *arg)
{
	(void)arg;
	return kbps;
}

static void on_packets(struct ts_run run, void *arg)
{
	(void)arg;
	packets += (unsigned)run.n;
}

static void on_section(const uint8_t *section, size_t len, void *arg)
{
	(void)section, (void)len, (void)arg;
	sections++;
}

static void on_gone(struct emmg_client *c, const char *error, void *arg)
{
	(void)c, (void)arg;
	gone = error;
	emmg_client_free(&client);
}

static const struct emmg_client_events events = { left, on_packets, on_section,
						  on_gone };

/* Returns the end of the generator. */
static int start(unsigned setup_ms)
{
	int fds[2];

	loop = ev_loop_new(0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds),
		     0);
	client = emmg_client_new(&(struct emmg_client_config){
		.loop = loop, .fd = fds[0], .setup_ms = setup_ms,
		.events = &events,
	});
	return fds[1];
}

static void stop(int fd)
{
	emmg_client_free(&client);
	fd_close(&fd);
	ev_loop_destroy(loop);
}

static uint8_t data_type, table_id = 0x82;

static void send_setup(int fd, enum simulcrypt_type type)
{
	uint8_t data[256];
	struct simulcrypt_writer w;
	size_t len;

	simulcrypt_begin(&w, data, sizeof data, SIMULCRYPT_VERSION, type);
	simulcrypt_put(&w, EMMG_CLIENT_ID, 1, 4);
	simulcrypt_put(&w, EMMG_CHANNEL_ID, CHANNEL, 2);
	if (type == EMMG_CHANNEL_SETUP) {
		simulcrypt_put(&w, EMMG_SECTION_TSPKT_FLAG, 0, 1);
	} else {
		simulcrypt_put(&w, EMMG_STREAM_ID, STREAM, 2);
		simulcrypt_put(&w, EMMG_DATA_ID, 1, 2);
		simulcrypt_put(&w, EMMG_DATA_TYPE, data_type, 1);
	}
	len = simulcrypt_end(&w);
	cr_assert_eq(write(fd, data, len), (ssize_t)len);
	(void)ev_run(loop, EVRUN_NOWAIT);
}

/* EMMs of three bytes. */
static void send_emms(int fd, unsigned n)
{
	const uint8_t emm[] = { table_id, 0x70, 0x00 };
	uint8_t data[4096];
	struct simulcrypt_writer w;
	size_t len;

	simulcrypt_begin(&w, data, sizeof data, SIMULCRYPT_VERSION, EMMG_DATA);
	simulcrypt_put(&w, EMMG_CLIENT_ID, 1, 4);
	simulcrypt_put(&w, EMMG_CHANNEL_ID, CHANNEL, 2);
	simulcrypt_put(&w, EMMG_STREAM_ID, STREAM, 2);
	simulcrypt_put(&w, EMMG_DATA_ID, 1, 2);
	for (unsigned i = 0; i < n; i++)
		simulcrypt_put_bytes(&w, EMMG_DATAGRAM, emm, sizeof emm);
	len = simulcrypt_end(&w);
	cr_assert_neq(len, 0);
	cr_assert_eq(write(fd, data, len), (ssize_t)len);
	(void)ev_run(loop, EVRUN_NOWAIT);
}

/* The burst of a slow stream is 32,768 bytes; three bytes of a section need
 * 3 * 188 / 183 of them. */
Test(emmg, sections_use_the_bandwidth_of_packets_that_they_share)
{
	int fd = start(10000);

	kbps = 0;
	send_setup(fd, EMMG_CHANNEL_SETUP);
	send_setup(fd, EMMG_STREAM_SETUP);
	for (unsigned i = 0; i < 20; i++)
		send_emms(fd, 500);
	cr_assert_eq(sections, 32768 / 4);
	stop(fd);
}

/* Sections share packets, in which 0xff starts the stuffing. */
static void expect_tables(uint8_t type, uint8_t first, uint8_t last)
{
	int fd = start(10000);

	data_type = type;
	kbps = 1000;
	send_setup(fd, EMMG_CHANNEL_SETUP);
	send_setup(fd, EMMG_STREAM_SETUP);
	for (unsigned id = 0; id < 256; id++) {
		unsigned before = sections;

		table_id = (uint8_t)id;
		send_emms(fd, 1);
		cr_assert_eq(sections - before, id >= first && id <= last,
			     "data_type %u, table_id %02x", type, id);
	}
	stop(fd);
}

Test(emmg, emms_have_the_tables_of_ca_messages)
{
	expect_tables(0, 0x80, 0x8f);
}

Test(emmg, private_data_have_any_table_but_that_of_stuffing)
{
	expect_tables(1, 0x00, 0xfe);
}

/* Errors about data come once a second. */
static uint64_t clock_ms = 1000000;

uint64_t __wrap_mono_ms(void);
uint64_t __wrap_mono_ms(void)
{
	return clock_ms;
}

Test(emmg, a_generator_that_exceeds_its_bandwidth_stays)
{
	int fd = start(10000);

	send_setup(fd, EMMG_CHANNEL_SETUP);
	send_setup(fd, EMMG_STREAM_SETUP);
	for (unsigned i = 0; i < 40; i++, clock_ms += 1000)
		send_emms(fd, 200);
	cr_assert_null(gone);
	stop(fd);
}

Test(emmg, a_connection_without_a_channel_ends)
{
	int fd = start(10);

	(void)ev_run(loop, EVRUN_ONCE);
	(void)ev_run(loop, gone == NULL ? EVRUN_ONCE : EVRUN_NOWAIT);
	cr_assert_not_null(gone);
	stop(fd);
}

/* A server on an address that the kernel chose, and its clients. */
static struct emmg *server;
static struct sockaddr_un at = { .sun_family = AF_UNIX };
static socklen_t at_len = sizeof at;

static void on_server_emm(struct ts_run run, void *arg)
{
	(void)arg;
	packets += (unsigned)run.n;
}

static void start_server(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	loop = ev_loop_new(0);
	cr_assert_eq(bind(fd, (const struct sockaddr *)&at,
			  sizeof at.sun_family), 0);
	cr_assert_eq(listen(fd, PLACES), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&at, &at_len), 0);
	server = emmg_new(&(struct emmg_config){
		.loop = loop, .sockets = { fd, -1 }, .kbps = 1000,
		.on_emm = on_server_emm,
	});
}

static int dial(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	cr_assert_eq(connect(fd, (const struct sockaddr *)&at, at_len), 0);
	(void)ev_run(loop, EVRUN_NOWAIT);
	return fd;
}

static bool is_open(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK) != 0;
}

Test(emmg, a_full_server_drops_the_oldest_without_a_channel)
{
	int fds[PLACES], more;

	start_server();
	for (size_t i = 0; i < PLACES; i++)
		fds[i] = dial();
	send_setup(fds[0], EMMG_CHANNEL_SETUP);
	cr_assert_eq(emmg_clients(server), PLACES);
	more = dial();
	cr_assert_eq(emmg_clients(server), PLACES);
	cr_assert(is_open(more));
	cr_assert(is_open(fds[0]), "it has a channel");
	cr_assert_not(is_open(fds[1]));
	cr_assert(is_open(fds[2]));
	send_setup(more, EMMG_CHANNEL_SETUP);
	for (size_t i = 2; i < PLACES; i++)
		send_setup(fds[i], EMMG_CHANNEL_SETUP);
	fd_close(&fds[1]);
	fds[1] = dial();
	cr_assert_not(is_open(fds[1]), "all have a channel");
	for (size_t i = 0; i < PLACES; i++)
		fd_close(&fds[i]);
	fd_close(&more);
	emmg_free(&server);
	ev_loop_destroy(loop);
}

Test(emmg, sections_share_packets)
{
	int fd;

	start_server();
	fd = dial();
	send_setup(fd, EMMG_CHANNEL_SETUP);
	send_setup(fd, EMMG_STREAM_SETUP);
	for (unsigned i = 0; i < 3; i++)
		send_emms(fd, 20);
	cr_assert_eq(packets, 0, "they wait for others");
	while (packets == 0)
		(void)ev_run(loop, EVRUN_ONCE);
	cr_assert_eq(packets, 1);
	fd_close(&fd);
	emmg_free(&server);
	ev_loop_destroy(loop);
}

Test(emmg, sections_that_wait_at_the_end_are_sent)
{
	int fd;

	start_server();
	fd = dial();
	send_setup(fd, EMMG_CHANNEL_SETUP);
	send_setup(fd, EMMG_STREAM_SETUP);
	send_emms(fd, 20);
	cr_assert_eq(packets, 0);
	emmg_free(&server);
	cr_assert_eq(packets, 1);
	fd_close(&fd);
	ev_loop_destroy(loop);
}
