/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * srt://host:port calls, srt://[iface@]:port listens; mode= says it otherwise.
 * The parameters of other programs' addresses ("?streamid=…") are taken too.
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
	/* Of a matrix of error correction; the library has no bound. */
	MATRIX_MAX = 256,
};

static const char *const modes[] = {
	[SRT_CALLER] = "caller",
	[SRT_LISTENER] = "listener",
	[SRT_RENDEZVOUS] = "rendezvous",
	NULL,
};

#define SRT_OPTIONS(OF) \
	{ "latency", IO_NUMBER, OF(srt.latency_ms), 0, LATENCY_MAX_MS }, \
	{ "timeout", IO_NUMBER, OF(srt.timeout_s), 1, TIMEOUT_MAX_S }, \
	{ "oheadbw", IO_NUMBER, OF(srt.overhead_percent), OVERHEAD_MIN, \
	  OVERHEAD_MAX }, \
	{ "pbkeylen", IO_NUMBER, OF(srt.key_bytes), 0, KEY_MAX }, \
	{ "sndbuf", IO_NUMBER, OF(srt.send_buffer), 0, BUFFER_MAX }, \
	{ "rcvbuf", IO_NUMBER, OF(srt.receive_buffer), 0, BUFFER_MAX }, \
	{ "tsbpdmode", IO_NO_FLAG, OF(srt.no_timed_delivery), 0, 0 }, \
	{ "no_tsbpdmode", IO_FLAG, OF(srt.no_timed_delivery), 0, 0 }, \
	{ "passphrase", IO_TEXT, OF(srt.passphrase), SRT_PASSPHRASE_MIN, \
	  SRT_PASSPHRASE_MAX }, \
	{ "streamid", IO_TEXT, OF(srt.streamid), 1, SRT_STREAMID_MAX }, \
	{ "packetfilter", IO_TEXT, OF(srt.packetfilter), 1, SRT_FILTER_MAX }, \
	{ "mode", IO_WORD, OF(srt.mode), 0, ARRAY_LEN(modes) - 1 }, \
	{ 0 }

static const struct io_option input_options[] = {
	IO_OPTIONS_MERGE,
	SRT_OPTIONS(IO_INPUT)
};
#define SRT_NEEDS { "pbkeylen", "passphrase", false }

static const struct io_need input_needs[] = {
	IO_NEEDS_MERGE,
	SRT_NEEDS,
	{ 0 },
};
/* who sends, and who receives */
static const char *const idle_inputs[] = { "oheadbw", "sndbuf", NULL };
static const char *const idle_outputs[] = { "rcvbuf", NULL };

static const struct io_need output_needs[] = {
	SRT_NEEDS,
	{ 0 },
};

static const struct io_option output_options[] = {
	IO_OPTION_CBR,
	SRT_OPTIONS(IO_OUTPUT)
};

/* [iface@][host]:port */
static int read_srt(const char *target, size_t len, void *part,
		    struct errmsg *why)
{
	struct srt_spec *s = part;
	const char *at = memchr(target, '@', len);
	size_t before = at != NULL ? (size_t)(at - target) : 0;
	struct io_host_port place = { s->host, sizeof s->host, 0 };
	int r;

	*s = (struct srt_spec){
		.latency_ms = SRT_LATENCY_DEFAULT_MS,
		.timeout_s = SRT_TIMEOUT_DEFAULT_S,
	};
	if (at != NULL && before == 0)
		return errmsg_fail(why, -EINVAL,
				   "interface: is not a name of one");
	r = address_iface(target, before, s->iface, why);
	if (r < 0)
		return r;
	if (at != NULL)
		before++;
	r = io_host_port_read(target + before, len - before, &place, why);
	s->port = place.port;
	s->mode = s->host[0] == '\0' ? SRT_LISTENER : SRT_CALLER;
	return r;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Columns; or rows, of which a negative number says: without those. */
static int judge_count(const char *text, size_t len, bool rows,
		       struct errmsg *why)
{
	bool negative = rows && len > 0 && text[0] == '-';
	unsigned n, least = rows && !negative ? 1 : 2;

	return option_number(text + negative, len - negative, least,
			     MATRIX_MAX, &n, why);
}

static int judge_filter_value(const char *key, size_t key_len,
			      const char *text, size_t len,
			      struct errmsg *why)
{
	if (is_word(key, key_len, "cols"))
		return judge_count(text, len, false, why);
	if (is_word(key, key_len, "rows"))
		return judge_count(text, len, true, why);
	if (is_word(key, key_len, "layout"))
		return is_word(text, len, "even") ||
				       is_word(text, len, "staircase")
			       ? 0
			       : errmsg_fail(why, -EINVAL,
					     "is not even or staircase");
	if (is_word(key, key_len, "arq"))
		return is_word(text, len, "never") ||
				       is_word(text, len, "onreq") ||
				       is_word(text, len, "always")
			       ? 0
			       : errmsg_fail(why, -EINVAL, "is not never, "
					     "onreq or always");
	return errmsg_fail(why, -EINVAL, "is not cols, rows, layout or arq");
}

/* "fec,cols:10,rows:5,layout:even,arq:onreq": all that the library has. */
static int judge_filter(const char *text, struct errmsg *why)
{
	size_t len = strcspn(text, ",");

	if (len > 0 && !is_word(text, len, "fec"))
		return errmsg_fail(why, -EINVAL, "packetfilter: \"%.*s\" is "
				   "not known: the only one is fec", (int)len,
				   text);
	while (text[len] == ',') {
		const char *key = text + len + 1;
		size_t key_len = strcspn(key, ":,");
		const char *value = key + key_len + (key[key_len] == ':');
		size_t value_len = strcspn(value, ",");

		if (judge_filter_value(key, key_len, value, value_len,
				       why) < 0) {
			errmsg_prefix(why, "packetfilter: %.*s: ",
				      (int)key_len, key);
			return -EINVAL;
		}
		len = (size_t)(value - text) + value_len;
	}
	return 0;
}

static int judge(const void *part, struct errmsg *why)
{
	const struct srt_spec *s = part;

	if (s->mode != SRT_LISTENER && s->host[0] == '\0')
		return errmsg_fail(why, -EINVAL, "host: is missing");
	if (s->key_bytes != 0 && s->key_bytes != 16 && s->key_bytes != 24 &&
	    s->key_bytes != 32)
		return errmsg_fail(why, -EINVAL,
				   "pbkeylen: %u is not 16, 24 or 32",
				   s->key_bytes);
	return judge_filter(s->packetfilter, why);
}

static const struct io_link link = { read_srt, judge, modes };

const struct input_type input_srt_type = {
	.name = "srt",
	.kind = INPUT_SRT,
	.net = true,
	.link = &link,
	.part = IO_INPUT(srt),
	.read = io_merge_read,
	.options = input_options,
	.needs = input_needs,
	.idle = idle_inputs,
};

const struct output_type output_srt_type = {
	.name = "srt",
	.kind = OUTPUT_SRT,
	.net = true,
	.link = &link,
	.part = IO_OUTPUT(srt),
	.options = output_options,
	.needs = output_needs,
	.idle = idle_outputs,
};
