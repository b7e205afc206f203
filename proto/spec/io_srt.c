/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * srt://host:port calls the peer, srt://[iface@]:port waits for a call; the
 * option mode overrides this.  Options are also accepted as parameters behind
 * '?' ("?streamid=…"), as other programs write them.
 */
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <string.h>

enum {
	LATENCY_MAX_MS = 60000,
	TIMEOUT_MAX_S = 3600,
	BUFFER_MAX = 1024 * 1024 * 1024,
	OVERHEAD_MIN = 5,
	OVERHEAD_MAX = 100,
	KEY_MAX = 32,
	/* Bound of the columns and rows of a FEC matrix; libsrt has none. */
	MATRIX_MAX = 256,
};

enum { MODES = 3 };

/* "client" and "server" are aliases of libsrt for the first two modes */
static const char *const modes[] = {
	[SRT_CALLER] = "caller",
	[SRT_LISTENER] = "listener",
	[SRT_RENDEZVOUS] = "rendezvous",
	[MODES + SRT_CALLER] = "client",
	[MODES + SRT_LISTENER] = "server",
	NULL,
};

/* Only senders use oheadbw and sndbuf, and only receivers rcvbuf.  of_sender,
 * of_receiver: FIELD_IDLE for the options without effect, or 0. */
#define ROWS(spec, of_sender, of_receiver) \
	{ "latency", FIELD_AT(spec, srt.latency_ms), .max = LATENCY_MAX_MS, \
	  .initial = SRT_LATENCY_DEFAULT_MS, .unit = "ms", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Time to retransmit a lost datagram: delays the stream." }, \
	{ "timeout", FIELD_AT(spec, srt.timeout_s), .min = 1, \
	  .max = TIMEOUT_MAX_S, .initial = SRT_TIMEOUT_DEFAULT_S, \
	  .unit = "s", .flags = FIELD_OBSERVER, \
	  .help = "Time without data after which the connection fails." }, \
	{ "oheadbw", FIELD_AT(spec, srt.overhead_percent), \
	  .min = OVERHEAD_MIN, .max = OVERHEAD_MAX, .unit = "%", \
	  .flags = (of_sender) | FIELD_OBSERVER, \
	  .help = "Bandwidth for retransmissions, in % of the stream." }, \
	{ "pbkeylen", FIELD_AT(spec, srt.key_bytes), .max = KEY_MAX, \
	  .unit = "bytes", .needs = "passphrase", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Length of the key: 16, 24 or 32." }, \
	{ "sndbuf", FIELD_AT(spec, srt.send_buffer), .max = BUFFER_MAX, \
	  .unit = "bytes", .flags = (of_sender) | FIELD_OBSERVER, \
	  .help = "Send buffer; 0: the usual size." }, \
	{ "rcvbuf", FIELD_AT(spec, srt.receive_buffer), .max = BUFFER_MAX, \
	  .unit = "bytes", .flags = (of_receiver) | FIELD_OBSERVER, \
	  .help = "Receive buffer; 0: the usual size." }, \
	{ "no_tsbpdmode", FIELD_AT(spec, srt.no_timed_delivery), \
	  .flags = FIELD_OBSERVER, \
	  .help = "Delivers datagrams at once, not after the latency." }, \
	{ "tsbpdmode", FIELD_AT(spec, srt.no_timed_delivery), \
	  .flags = FIELD_NEGATED | FIELD_ALIAS | FIELD_OBSERVER, \
	  .help = "Delivers datagrams after the latency." }, \
	{ "passphrase", FIELD_AT(spec, srt.passphrase), \
	  .min = SRT_PASSPHRASE_MIN, .flags = FIELD_SECRET, \
	  .help = "Password of the encryption." }, \
	{ "streamid", FIELD_AT(spec, srt.streamid), .min = 1, \
	  .help = "Name of the stream that the caller asks for." }, \
	{ "packetfilter", FIELD_AT(spec, srt.packetfilter), .min = 1, \
	  .flags = FIELD_OBSERVER, \
	  .help = "Error correction: fec,cols:10,rows:5." }, \
	{ "mode", FIELD_AT(spec, srt.mode), .choices = modes, \
	  .max = MODES, .flags = FIELD_OBSERVER, \
	  .help = "Which end opens the connection." }

static const struct field input_rows[] = {
	IO_ROWS_MERGE,
	ROWS(struct input_spec, FIELD_IDLE, 0),
	IO_ROWS_WATCHDOG(0, 0),
};
static const struct field output_rows[] = {
	IO_ROW_CBR,
	IO_ROWS_BISS(struct output_spec),
	ROWS(struct output_spec, 0, FIELD_IDLE),
	IO_ROW_NO_AUTH,
};
static const struct field_table input_fields = FIELD_TABLE(struct input_spec,
							   input_rows);
static const struct field_table output_fields =
	FIELD_TABLE(struct output_spec, output_rows);

/* Reads the target "[iface@][host]:port". */
static int read_srt(const struct address *a, struct srt_spec *s,
		    struct errmsg *error)
{
	static const char end[] = "streamid=";
	const char *target = a->target;
	size_t whole = strlen(target), len = strcspn(target, "?");
	const char *at = memchr(target, '@', len);
	size_t before = at != NULL ? (size_t)(at - target) : 0;
	struct io_host_port place = { s->host, sizeof s->host, 0 };
	int r;

	/* Stream ids for SRT access control begin with "#!::", but '#' begins
	 * the options of an address. */
	if (a->n_options > 0 && strncmp(a->options[0].key, "!::", 3) == 0 &&
	    whole >= sizeof end - 1 &&
	    strcmp(target + whole - (sizeof end - 1), end) == 0)
		return errmsg_fail(error, -EINVAL, "streamid: a '#' in it is "
				   "written %%23, and a '&' %%26");
	if (at != NULL && before == 0)
		return errmsg_fail(error, -EINVAL,
				   "interface: nothing precedes '@'; write "
				   "srt://:PORT to wait for a caller");
	r = address_iface(target, before, s->iface, error);
	if (r < 0)
		return r;
	if (at != NULL)
		before++;
	r = io_host_port_read(target + before, len - before, &place, error);
	s->port = place.port;
	s->mode = s->host[0] == '\0' ? SRT_LISTENER : SRT_CALLER;
	return r;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Checks the number of columns or rows of a FEC matrix.  A negative number of
 * rows stands for FEC of columns only, without FEC of rows. */
static int judge_count(const char *text, size_t len, bool rows,
		       struct errmsg *error)
{
	bool negative = rows && len > 0 && text[0] == '-';
	unsigned n, least = rows && !negative ? 1 : 2;

	return option_number(text + negative, len - negative, least,
			     MATRIX_MAX, &n, error);
}

static int judge_filter_value(const char *key, size_t key_len,
			      const char *text, size_t len,
			      struct errmsg *error)
{
	if (is_word(key, key_len, "cols"))
		return judge_count(text, len, false, error);
	if (is_word(key, key_len, "rows"))
		return judge_count(text, len, true, error);
	if (is_word(key, key_len, "layout"))
		return is_word(text, len, "even") ||
				       is_word(text, len, "staircase")
			       ? 0
			       : errmsg_fail(error, -EINVAL,
					     "is not even or staircase");
	if (is_word(key, key_len, "arq"))
		return is_word(text, len, "never") ||
				       is_word(text, len, "onreq") ||
				       is_word(text, len, "always")
			       ? 0
			       : errmsg_fail(error, -EINVAL, "is not never, "
					     "onreq or always");
	return errmsg_fail(error, -EINVAL, "is not cols, rows, layout or arq");
}

/* Checks the packet filter "fec,cols:10,rows:5,layout:even,arq:onreq"; libsrt
 * has no other filter and no other keys. */
static int judge_filter(const char *text, struct errmsg *error)
{
	size_t len = strcspn(text, ",");

	if (len > 0 && !is_word(text, len, "fec"))
		return errmsg_fail(error, -EINVAL, "packetfilter: \"%.*s\" is "
				   "not known: the only one is fec", (int)len,
				   text);
	while (text[len] == ',') {
		const char *key = text + len + 1;
		size_t key_len = strcspn(key, ":,");
		const char *value = key + key_len + (key[key_len] == ':');
		size_t value_len = strcspn(value, ",");

		if (judge_filter_value(key, key_len, value, value_len,
				       error) < 0) {
			errmsg_prefix(error, "packetfilter: %.*s: ",
				      (int)key_len, key);
			return -EINVAL;
		}
		len = (size_t)(value - text) + value_len;
	}
	return 0;
}

static int judge(const struct srt_spec *s, struct errmsg *error)
{
	if (s->mode != SRT_LISTENER && s->host[0] == '\0')
		return errmsg_fail(error, -EINVAL, "host: is missing");
	if (s->key_bytes != 0 && s->key_bytes != 16 && s->key_bytes != 24 &&
	    s->key_bytes != 32)
		return errmsg_fail(error, -EINVAL,
				   "pbkeylen: %u is not 16, 24 or 32",
				   s->key_bytes);
	return judge_filter(s->packetfilter, error);
}

static int read_input(const struct address *a, void *spec, struct errmsg *error)
{
	return read_srt(a, &((struct input_spec *)spec)->srt, error);
}

static int finish_input(const struct address *a, void *spec,
			struct errmsg *error)
{
	struct input_spec *in = spec;
	int r = io_merge_read(a, in, error);

	return r < 0 ? r : judge(&in->srt, error);
}

static int read_output(const struct address *a, void *spec,
		       struct errmsg *error)
{
	return read_srt(a, &((struct output_spec *)spec)->srt, error);
}

static int finish_output(const struct address *a, void *spec,
			 struct errmsg *error)
{
	(void)a;
	return judge(&((struct output_spec *)spec)->srt, error);
}

const struct io_type input_srt_type = {
	.name = "srt",
	.target = "[iface@][host]:port",
	.kind = INPUT_SRT,
	.query = true,
	.options = &input_fields,
	.read = read_input,
	.finish = finish_input,
};

const struct io_type output_srt_type = {
	.name = "srt",
	.target = "[iface@][host]:port",
	.kind = OUTPUT_SRT,
	.net = true,
	.query = true,
	.options = &output_fields,
	.read = read_output,
	.finish = finish_output,
};
