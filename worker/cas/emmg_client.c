/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/emmg_client.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "worker/cas/ecm_packets.h"
#include "worker/cas/simulcrypt_conn.h"
#include "worker/ts/section.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	ERRORS_MAX = 16,   /* error messages before the connection ends */
	BURST_MIN = 32768, /* smallest limit of a stream's burst, in bytes: the
			    * longest message that a slow stream may send */
	MESSAGE_MAX = 256,
	SECTION_HEAD = 3,
	TYPE_EMM = 0, /* data_type of EMMs */
	/* values of table_id: first and last of CA messages, and stuffing */
	CA_FIRST = 0x80,
	CA_LAST = 0x8f,
	STUFFING = 0xff,
	/* bytes of a packet behind header and pointer_field */
	OF_SECTIONS = TS_PACKET - 5,

	/* error_status, TS 103 197 6.2.6 */
	BAD_TYPE = 0x03,
	UNKNOWN_STREAM = 0x05,
	UNKNOWN_CHANNEL = 0x06,
	TOO_MANY_CHANNELS = 0x07,
	TOO_MANY_STREAMS = 0x08,
	MISSING = 0x0c,
	BAD_VALUE = 0x0d,
	EXCEEDED = 0x0f,
	UNKNOWN_DATA = 0x10,
	STREAM_IN_USE = 0x12,
	BAD_VERSION = 0x02,
	UNRECOVERABLE = 0x7001,
};

struct stream {
	bool used;
	uint16_t stream, data;
	uint8_t type;
	unsigned kbps; /* allocated kbit/s */
	int64_t bytes; /* bytes that the stream may send now */
	uint64_t at_ms; /* time of `bytes' */
	uint64_t told_ms; /* time of the last error message about the stream's
			   * data */
};

struct emmg_client {
	struct emmg_client_config cfg;
	struct simulcrypt_conn *conn;
	ev_timer setup; /* limit of setup_ms; runs while there is no channel */
	bool has_channel;
	bool packets; /* data arrive as packets; false: as sections */
	uint32_t client;
	uint16_t channel;
	unsigned errors;
	struct stream streams[EMMG_STREAMS_MAX];
};

/* --- answers --- */

struct answer {
	struct simulcrypt_writer w;
	uint8_t data[MESSAGE_MAX];
};

/* Begins an answer with the client_id and channel_id of the message `to'. */
static void begin(const struct emmg_client *c, struct answer *a,
		  const struct simulcrypt *to, enum simulcrypt_type type)
{
	uint32_t client = c->client, channel = c->channel;

	(void)simulcrypt_number(to, EMMG_CLIENT_ID, 4, &client);
	(void)simulcrypt_number(to, EMMG_CHANNEL_ID, 2, &channel);
	simulcrypt_begin(&a->w, a->data, sizeof a->data, to->version, type);
	simulcrypt_put(&a->w, EMMG_CLIENT_ID, client, 4);
	simulcrypt_put(&a->w, EMMG_CHANNEL_ID, channel, 2);
}

static void put_stream(struct answer *a, const struct simulcrypt *to)
{
	uint32_t stream = 0;

	(void)simulcrypt_number(to, EMMG_STREAM_ID, 2, &stream);
	simulcrypt_put(&a->w, EMMG_STREAM_ID, stream, 2);
}

static void send_answer(struct emmg_client *c, struct answer *a)
{
	simulcrypt_conn_send(c->conn, a->data, simulcrypt_end(&a->w));
}

static void send_error(struct emmg_client *c, const struct simulcrypt *to,
		       unsigned status)
{
	bool of_stream = to->type >= EMMG_STREAM_SETUP;
	struct answer a;

	/* a generator that exceeds its bandwidth does so again and again, so
	 * this error does not count */
	if (status != EXCEEDED && ++c->errors > ERRORS_MAX)
		return;
	begin(c, &a, to, of_stream ? EMMG_STREAM_ERROR : EMMG_CHANNEL_ERROR);
	if (of_stream)
		put_stream(&a, to);
	simulcrypt_put(&a.w, SIMULCRYPT_ERROR_STATUS, status, 2);
	simulcrypt_put(&a.w, SIMULCRYPT_ERROR_INFORMATION, 0, 2);
	send_answer(c, &a);
}

static void send_channel_status(struct emmg_client *c,
				const struct simulcrypt *to)
{
	struct answer a;

	begin(c, &a, to, EMMG_CHANNEL_STATUS);
	simulcrypt_put(&a.w, EMMG_SECTION_TSPKT_FLAG, c->packets, 1);
	send_answer(c, &a);
}

static void send_stream_status(struct emmg_client *c,
			       const struct simulcrypt *to,
			       const struct stream *s)
{
	struct answer a;

	begin(c, &a, to, EMMG_STREAM_STATUS);
	put_stream(&a, to);
	simulcrypt_put(&a.w, EMMG_DATA_ID, s->data, 2);
	simulcrypt_put(&a.w, EMMG_DATA_TYPE, s->type, 1);
	send_answer(c, &a);
}

/* --- channel and streams --- */

static void set_up_channel(struct emmg_client *c, const struct simulcrypt *m)
{
	uint32_t client, channel, packets;

	if (simulcrypt_number(m, EMMG_CLIENT_ID, 4, &client) < 0 ||
	    simulcrypt_number(m, EMMG_CHANNEL_ID, 2, &channel) < 0 ||
	    simulcrypt_number(m, EMMG_SECTION_TSPKT_FLAG, 1, &packets) < 0) {
		send_error(c, m, MISSING);
		return;
	}
	if (c->has_channel) {
		send_error(c, m, TOO_MANY_CHANNELS);
		return;
	}
	c->has_channel = true;
	ev_timer_stop(c->cfg.loop, &c->setup);
	c->client = client;
	c->channel = (uint16_t)channel;
	c->packets = packets & 1;
	send_channel_status(c, m);
}

static void await_setup(struct emmg_client *c)
{
	timer_start(c->cfg.loop, &c->setup, c->cfg.setup_ms / 1e3);
}

static struct stream *find_stream(struct emmg_client *c,
				  const struct simulcrypt *m)
{
	uint32_t n;

	if (simulcrypt_number(m, EMMG_STREAM_ID, 2, &n) < 0)
		return NULL;
	for (size_t i = 0; i < EMMG_STREAMS_MAX; i++)
		if (c->streams[i].used && c->streams[i].stream == n)
			return &c->streams[i];
	return NULL;
}

static void set_up_stream(struct emmg_client *c, const struct simulcrypt *m)
{
	uint32_t stream, data, type;
	size_t i = 0;

	if (simulcrypt_number(m, EMMG_STREAM_ID, 2, &stream) < 0 ||
	    simulcrypt_number(m, EMMG_DATA_ID, 2, &data) < 0 ||
	    simulcrypt_number(m, EMMG_DATA_TYPE, 1, &type) < 0) {
		send_error(c, m, MISSING);
		return;
	}
	if (find_stream(c, m) != NULL) {
		send_error(c, m, STREAM_IN_USE);
		return;
	}
	while (i < EMMG_STREAMS_MAX && c->streams[i].used)
		i++;
	if (i == EMMG_STREAMS_MAX) {
		send_error(c, m, TOO_MANY_STREAMS);
		return;
	}
	c->streams[i] = (struct stream){
		.used = true, .stream = (uint16_t)stream,
		.data = (uint16_t)data, .type = (uint8_t)type,
		.bytes = BURST_MIN, .at_ms = mono_ms(),
	};
	/* before a stream requests a bandwidth, it may use half of what is
	 * left */
	c->streams[i].kbps = c->cfg.events->left(c->cfg.arg) / 2;
	send_stream_status(c, m, &c->streams[i]);
}

static void close_stream(struct emmg_client *c, const struct simulcrypt *m,
			 struct stream *s)
{
	struct answer a;

	*s = (struct stream){ 0 };
	begin(c, &a, m, EMMG_STREAM_CLOSED);
	put_stream(&a, m);
	send_answer(c, &a);
}

/* Answers a request for bandwidth.  A request without a value asks for the
 * current allocation. */
static void allocate(struct emmg_client *c, const struct simulcrypt *m,
		     struct stream *s)
{
	uint32_t kbps;
	struct answer a;

	if (simulcrypt_number(m, EMMG_BANDWIDTH, 2, &kbps) == 0) {
		s->kbps = 0;
		s->kbps = MIN(kbps, c->cfg.events->left(c->cfg.arg));
	}
	begin(c, &a, m, EMMG_BANDWIDTH_ALLOCATION);
	put_stream(&a, m);
	simulcrypt_put(&a.w, EMMG_BANDWIDTH, MIN(s->kbps, 65535u), 2);
	send_answer(c, &a);
}

/* --- data --- */

/* Subtracts len bytes of packets from what the stream may send; false: they
 * exceed it. */
static bool spend(struct stream *s, size_t len)
{
	int64_t bytes = (int64_t)len;
	uint64_t now_ms = mono_ms(), passed_ms = MIN(now_ms - s->at_ms, 10000);
	int64_t most = MAX((int64_t)s->kbps * 125, (int64_t)BURST_MIN);

	s->bytes = MIN(s->bytes + (int64_t)(passed_ms * s->kbps / 8), most);
	s->at_ms = now_ms;
	if (s->bytes < bytes)
		return false;
	s->bytes -= bytes;
	return true;
}

/* May this section be in the stream?  Private data may have any table_id except
 * 0xff: behind a section with 0xff, receivers ignore all other sections in the
 * packet, also those of other generators. */
static bool is_section(const struct stream *s, const uint8_t *data, size_t len)
{
	uint8_t table_id;

	if (len < SECTION_HEAD || len > SECTION_MAX ||
	    section_length(data) != len)
		return false;
	table_id = section_table_id(data);
	return s->type == TYPE_EMM
		       ? table_id >= CA_FIRST && table_id <= CA_LAST
		       : table_id != STUFFING;
}

/* Passes the section or the packets of a datagram to the owner; false: the
 * datagram is malformed. */
static bool pass(struct emmg_client *c, const struct stream *s,
		 const uint8_t *data, size_t len)
{
	uint8_t room[EMMG_RUN_MAX * TS_PACKET];
	struct ts_run run = { room, 0 };

	if (!c->packets) {
		if (!is_section(s, data, len))
			return false;
		c->cfg.events->on_section(data, len, c->cfg.arg);
		return true;
	}
	for (size_t part; len > 0; data += part, len -= part) {
		part = MIN(len, sizeof room);
		run.n = ecm_packets_copy(data, part, room, EMMG_RUN_MAX);
		if (run.n == 0)
			return false;
		c->cfg.events->on_packets(run, c->cfg.arg);
	}
	return true;
}

/* Sends an error about the data of a stream, at most once a second. */
static void complain(struct emmg_client *c, const struct simulcrypt *m,
		     struct stream *s, unsigned status)
{
	uint64_t now_ms = mono_ms();

	if (s->told_ms != 0 && now_ms - s->told_ms < 1000)
		return;
	s->told_ms = now_ms;
	send_error(c, m, status);
}

static void provide(struct emmg_client *c, const struct simulcrypt *m,
		    struct stream *s)
{
	struct simulcrypt_parameter p;
	size_t at = 0;

	while (simulcrypt_next(m, &at, &p)) {
		size_t len = p.len; /* bytes of packets for the datagram */

		if (p.tag != EMMG_DATAGRAM)
			continue;
		/* sections share packets, each of which has OF_SECTIONS bytes
		 * for them */
		if (!c->packets)
			len = (len * TS_PACKET + OF_SECTIONS - 1) / OF_SECTIONS;
		if (!spend(s, len)) {
			complain(c, m, s, EXCEEDED);
			return;
		}
		if (!pass(c, s, p.value, p.len)) {
			complain(c, m, s, BAD_VALUE);
			return;
		}
	}
}

bool emmg_client_data(struct emmg_client *c, const struct simulcrypt *m)
{
	uint32_t client, data;

	if (simulcrypt_number(m, EMMG_CLIENT_ID, 4, &client) < 0 ||
	    simulcrypt_number(m, EMMG_DATA_ID, 2, &data) < 0 ||
	    !c->has_channel || client != c->client)
		return false;
	for (size_t i = 0; i < EMMG_STREAMS_MAX; i++)
		if (c->streams[i].used && c->streams[i].data == data) {
			provide(c, m, &c->streams[i]);
			return true;
		}
	return false;
}

/* --- messages --- */

static void take_of_stream(struct emmg_client *c, const struct simulcrypt *m)
{
	struct stream *s = find_stream(c, m);

	if (!c->has_channel)
		send_error(c, m, UNKNOWN_CHANNEL);
	else if (m->type == EMMG_STREAM_SETUP)
		set_up_stream(c, m);
	else if (s == NULL)
		send_error(c, m, UNKNOWN_STREAM);
	else if (m->type == EMMG_STREAM_TEST)
		send_stream_status(c, m, s);
	else if (m->type == EMMG_STREAM_CLOSE)
		close_stream(c, m, s);
	else
		allocate(c, m, s);
}

/* Takes a message; false: the connection must end, after too many errors or a
 * message with an error that the generator cannot recover from. */
static bool take(struct emmg_client *c, const struct simulcrypt *m)
{
	unsigned status;

	switch (m->type) {
	case EMMG_CHANNEL_SETUP:
		set_up_channel(c, m);
		break;
	case EMMG_CHANNEL_TEST:
		if (c->has_channel)
			send_channel_status(c, m);
		else
			send_error(c, m, UNKNOWN_CHANNEL);
		break;
	case EMMG_CHANNEL_CLOSE:
		c->has_channel = false;
		await_setup(c);
		memset(c->streams, 0, sizeof c->streams);
		break;
	case EMMG_STREAM_SETUP:
	case EMMG_STREAM_TEST:
	case EMMG_STREAM_CLOSE:
	case EMMG_BANDWIDTH_REQUEST:
		take_of_stream(c, m);
		break;
	case EMMG_DATA:
		if (!emmg_client_data(c, m))
			send_error(c, m, UNKNOWN_DATA);
		break;
	case EMMG_CHANNEL_STATUS:
	case EMMG_STREAM_STATUS:
		break;
	case EMMG_CHANNEL_ERROR:
	case EMMG_STREAM_ERROR:
		status = simulcrypt_error(m);
		return status != BAD_VERSION && status != UNRECOVERABLE;
	default:
		send_error(c, m, BAD_TYPE);
		break;
	}
	return c->errors <= ERRORS_MAX;
}

static bool on_message(const struct simulcrypt *m, void *arg)
{
	struct emmg_client *c = arg;

	if (take(c, m))
		return true;
	c->cfg.events->on_gone(c, c->errors > ERRORS_MAX
			       ? "the EMMG sent too many invalid messages"
			       : "the EMMG reported an error that ends the "
				 "connection", c->cfg.arg);
	return false;
}

static void on_closed(const char *error, void *arg)
{
	struct emmg_client *c = arg;

	c->cfg.events->on_gone(c, error, c->cfg.arg);
}

static void on_no_setup(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct emmg_client *c = container_of(w, struct emmg_client, setup);

	(void)loop, (void)revents;
	c->cfg.events->on_gone(c, "the EMMG did not set up a channel in time",
			       c->cfg.arg);
}

struct emmg_client *emmg_client_new(const struct emmg_client_config *cfg)
{
	struct emmg_client *c = xcalloc(1, sizeof *c);

	c->cfg = *cfg;
	c->conn = simulcrypt_conn_new(&(struct simulcrypt_conn_config){
		.loop = cfg->loop,
		.fd = cfg->fd,
		.on_message = on_message,
		.on_closed = on_closed,
		.arg = c,
	});
	ev_init(&c->setup, on_no_setup);
	await_setup(c);
	return c;
}

void emmg_client_free(struct emmg_client **pc)
{
	struct emmg_client *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	ev_timer_stop(c->cfg.loop, &c->setup);
	simulcrypt_conn_free(&c->conn);
	free(c);
}

bool emmg_client_has_channel(const struct emmg_client *c)
{
	return c->has_channel;
}

unsigned emmg_client_allocated(const struct emmg_client *c)
{
	unsigned kbps = 0;

	for (size_t i = 0; i < EMMG_STREAMS_MAX; i++)
		kbps += c->streams[i].used ? c->streams[i].kbps : 0;
	return kbps;
}
