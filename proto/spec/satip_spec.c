/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/satip_spec.h"

#include "common/base/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	S = 1 << 0,
	S2 = 1 << 1,
	T = 1 << 2,
	T2 = 1 << 3,
	C = 1 << 4,
	CB = 1 << 5,
	ATSC = 1 << 6,
	ISDBT = 1 << 7,
	SATELLITE = S | S2,
	TERRESTRIAL = T | T2 | ISDBT,
	CABLE = C | CB,
	ALL = SATELLITE | TERRESTRIAL | CABLE | ATSC,

	VALUE_MAX = 32,
	SATELLITE_MHZ = 100000, /* a larger frequency is in kHz */
	OTHER_MHZ = 2000,       /* a larger frequency is in kHz or Hz */
	PLS_MODE_SHIFT = 26,
	PLS_CODE_SHIFT = 8,
	PLS_CODE_MASK = 0x3ffff,
};

/* A value in the configuration (key) and in the query to the server (value).
 * value NULL: the query omits the parameter, and the server chooses. */
struct word {
	const char *key, *value;
};

static const struct word polarizations[] = {
	{ "V", "v" }, { "H", "h" }, { "L", "l" }, { "R", "r" }, { NULL, NULL },
};
static const struct word rates[] = {
	{ "AUTO", NULL },  { "1/2", "12" }, { "2/3", "23" },  { "3/4", "34" },
	{ "3/5", "35" },   { "4/5", "45" }, { "5/6", "56" },  { "6/7", "67" },
	{ "7/8", "78" },   { "8/9", "89" }, { "9/10", "910" }, { NULL, NULL },
};
static const struct word rolloffs[] = {
	{ "AUTO", NULL }, { "35", "0.35" }, { "25", "0.25" }, { "20", "0.20" },
	{ NULL, NULL },
};
static const struct word pilots[] = {
	{ "AUTO", NULL }, { "ON", "on" }, { "OFF", "off" }, { NULL, NULL },
};
/* AVM servers reject a query without mtype, so this list has no AUTO. */
static const struct word psk[] = {
	{ "QPSK", "qpsk" }, { "PSK8", "8psk" }, { "8PSK", "8psk" },
	{ "APSK16", "16apsk" }, { "APSK32", "32apsk" }, { NULL, NULL },
};
static const struct word qam[] = {
	{ "AUTO", NULL },       { "QPSK", "qpsk" },     { "QAM16", "16qam" },
	{ "QAM32", "32qam" },   { "QAM64", "64qam" },   { "QAM128", "128qam" },
	{ "QAM256", "256qam" }, { "VSB8", "8vsb" },     { NULL, NULL },
};
static const struct word guards[] = {
	{ "AUTO", NULL },     { "1/4", "14" },     { "1/8", "18" },
	{ "1/16", "116" },    { "1/32", "132" },   { "1/128", "1128" },
	{ "19/128", "19128" }, { "19/256", "19256" }, { NULL, NULL },
};
static const struct word modes[] = {
	{ "AUTO", NULL }, { "1K", "1k" },   { "2K", "2k" },   { "4K", "4k" },
	{ "8K", "8k" },   { "16K", "16k" }, { "32K", "32k" }, { NULL, NULL },
};
static const struct word bandwidths[] = {
	{ "1712", "1.712" }, { "5000", "5" }, { "6000", "6" }, { "7000", "7" },
	{ "8000", "8" },     { "10000", "10" }, { NULL, NULL },
};

static const struct {
	const char *type, *value;
	unsigned bit;
} systems[] = {
	{ "S", "dvbs", S },     { "S2", "dvbs2", S2 },    { "T", "dvbt", T },
	{ "T2", "dvbt2", T2 },  { "C", "dvbc", C },       { "C/A", "dvbc", C },
	{ "C/B", "dvbcb", CB }, { "ATSC", "atsc", ATSC },
	{ "ISDB-T", "isdbt", ISDBT }, { "ISDBT", "isdbt", ISDBT },
};

/* A key of the adapter and the name of its parameter in the query.  Its value
 * is one of words, or (words NULL) a number from min to max. */
static const struct parameter {
	const char *key, *name;
	unsigned systems;
	const struct word *words;
	unsigned min, max;
	const char *absent; /* value if the key is absent; "": the key is
			     * required; NULL: the parameter is omitted */
} parameters[] = {
	{ "diseqc", "src", SATELLITE, NULL, 1, 255, "1" },
	{ "device", "fe", ALL, NULL, 1, 65535, NULL },
	{ "polarization", "pol", SATELLITE, polarizations, 0, 0, "" },
	{ "modulation", "mtype", S, psk, 0, 0, "QPSK" },
	{ "modulation", "mtype", S2, psk, 0, 0, "PSK8" },
	{ "modulation", "mtype", TERRESTRIAL | CABLE | ATSC, qam, 0, 0, NULL },
	{ "symbolrate", "sr", SATELLITE | C, NULL, 1000, 50000, "" },
	{ "fec", "fec", SATELLITE | T | T2, rates, 0, 0, NULL },
	{ "rolloff", "ro", S2, rolloffs, 0, 0, NULL },
	{ "pilot", "plts", S2, pilots, 0, 0, NULL },
	{ "bandwidth", "bw", TERRESTRIAL, bandwidths, 0, 0, "8000" },
	{ "guardinterval", "gi", TERRESTRIAL, guards, 0, 0, NULL },
	{ "transmitmode", "tmode", TERRESTRIAL, modes, 0, 0, NULL },
	{ "stream_id", "plp", T2, NULL, 0, 255, NULL },
};

/* Reads a string or number as text; false if the key is absent, null or "". */
static bool read_key(const json_t *adapter, const char *key,
		     char text[VALUE_MAX])
{
	const json_t *value = json_object_get(adapter, key);

	text[0] = '\0';
	if (json_is_string(value))
		snprintf(text, VALUE_MAX, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(text, VALUE_MAX, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
	else if (json_is_real(value))
		snprintf(text, VALUE_MAX, "%.3f", json_real_value(value));
	return text[0] != '\0';
}

static int read_number(const char *key, const char *text, unsigned min,
		       unsigned max, uint32_t *ret, struct errmsg *error)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long n = strtoul(text, NULL, 10);

	if (text[digits] != '\0' || n < min || n > max)
		return errmsg_fail(error, -EINVAL, "%s: %s is not a number "
				   "from %u to %u", key, text, min, max);
	*ret = (uint32_t)n;
	return 0;
}

static int find_system(const json_t *adapter, size_t *ret,
		       struct errmsg *error)
{
	char text[VALUE_MAX];

	if (!read_key(adapter, "type", text))
		return errmsg_fail(error, -EINVAL, "type: is missing");
	for (size_t i = 0; i < ARRAY_LEN(systems); i++) {
		if (strcasecmp(systems[i].type, text) == 0) {
			*ret = i;
			return 0;
		}
	}
	return errmsg_fail(error, -EINVAL, "type: SAT>IP has no system %s",
			   text);
}

const char *satip_spec_type(const char *system)
{
	for (size_t i = 0; i < ARRAY_LEN(systems); i++)
		if (strcasecmp(systems[i].value, system) == 0)
			return systems[i].type;
	return NULL;
}

/* Writes the frequency in MHz.  The key may be in MHz, kHz or Hz: the ranges of
 * these units do not overlap. */
static int format_frequency(const json_t *adapter, bool satellite,
			    char ret[VALUE_MAX], struct errmsg *error)
{
	double most = satellite ? SATELLITE_MHZ : OTHER_MHZ, mhz;
	char text[VALUE_MAX], *end;

	if (!read_key(adapter, "frequency", text))
		return errmsg_fail(error, -EINVAL, "frequency: is missing");
	mhz = strtod(text, &end);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || !(mhz >= 1))
		return errmsg_fail(error, -EINVAL, "frequency: %s is not a "
				   "number", text);
	for (int i = 0; i < 2 && mhz >= most; i++)
		mhz /= 1000;
	if (mhz >= most)
		return errmsg_fail(error, -EINVAL, "frequency: %s is too high",
				   text);
	snprintf(ret, VALUE_MAX, "%.3f", mhz);
	for (end = ret + strlen(ret) - 1; *end == '0'; end--)
		*end = '\0';
	if (*end == '.')
		*end = '\0';
	return 0;
}

static int find_word(const struct parameter *p, const char *text,
		     const char **ret, struct errmsg *error)
{
	for (const struct word *w = p->words; w->key != NULL; w++) {
		if (strcasecmp(w->key, text) == 0) {
			*ret = w->value;
			return 0;
		}
	}
	return errmsg_fail(error, -EINVAL, "%s: %s is not a value of SAT>IP",
			   p->key, text);
}

static void add(char *query, const char *name, const char *value)
{
	size_t len = strlen(query);

	snprintf(query + len, SATIP_QUERY_MAX - len, "&%s=%s", name, value);
}

static int add_parameter(const json_t *adapter, const struct parameter *p,
			 char *query, struct errmsg *error)
{
	char text[VALUE_MAX];
	const char *value = text;
	uint32_t n;
	int r;

	if (!read_key(adapter, p->key, text)) {
		if (p->absent == NULL)
			return 0;
		if (p->absent[0] == '\0')
			return errmsg_fail(error, -EINVAL, "%s: is missing",
					   p->key);
		snprintf(text, sizeof text, "%s", p->absent);
	}
	r = p->words != NULL ? find_word(p, text, &value, error)
			     : read_number(p->key, text, p->min, p->max, &n,
					   error);
	if (r == 0 && value != NULL)
		add(query, p->name, value);
	return r;
}

/* Adds the stream id (ISI, and PLS) of a satellite multiplex with several
 * streams. */
static int add_stream_id(const json_t *adapter, char *query,
			 struct errmsg *error)
{
	static const char *const modes_of_pls[] = { "root", "gold" };
	char text[VALUE_MAX];
	uint32_t id, mode;
	int r;

	if (!read_key(adapter, "stream_id", text))
		return 0;
	r = read_number("stream_id", text, 0, INT32_MAX, &id, error);
	if (r < 0)
		return r;
	mode = id >> PLS_MODE_SHIFT;
	if (mode >= ARRAY_LEN(modes_of_pls))
		return errmsg_fail(error, -EINVAL, "stream_id: the scrambling "
				   "mode must be root or gold");
	snprintf(text, sizeof text, "%u", id & 0xff);
	add(query, "isi", text);
	if (id >> PLS_CODE_SHIFT != 0) {
		add(query, "plsm", modes_of_pls[mode]);
		snprintf(text, sizeof text, "%u",
			 id >> PLS_CODE_SHIFT & PLS_CODE_MASK);
		add(query, "plsc", text);
	}
	return 0;
}

static int format_query(const json_t *adapter, char query[SATIP_QUERY_MAX],
			struct errmsg *error)
{
	char value[VALUE_MAX];
	size_t system = 0;
	int r = find_system(adapter, &system, error);

	if (r == 0)
		r = format_frequency(adapter, systems[system].bit & SATELLITE,
				     value, error);
	if (r < 0)
		return r;
	snprintf(query, SATIP_QUERY_MAX, "freq=%s&msys=%s", value,
		 systems[system].value);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(parameters); i++)
		if (parameters[i].systems & systems[system].bit)
			r = add_parameter(adapter, &parameters[i], query,
					  error);
	if (r == 0 && systems[system].bit == S2)
		r = add_stream_id(adapter, query, error);
	return r;
}

static const char *text_of(const json_t *adapter, const char *key)
{
	const char *text = json_string_value(json_object_get(adapter, key));

	return text != NULL ? text : "";
}

/* Is it the name of a server: letters, digits, '-', '_' and '.'?  If the last
 * part has only digits, the text is a mistyped address. */
static bool is_name(const char *text, size_t len)
{
	static const char characters[] = "abcdefghijklmnopqrstuvwxyz"
					 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789-._";
	const char *last = memrchr(text, '.', len);
	size_t skip = last != NULL ? (size_t)(last + 1 - text) : 0;

	return len > 0 && len < SATIP_NAME_MAX && text[0] != '.' &&
	       text[0] != '-' && strspn(text, characters) >= len &&
	       strspn(text + skip, "0123456789") < len - skip;
}

/* Reads name[:port] of a server. */
static int read_name(const char *text, struct satip_spec *spec,
		     struct errmsg *error)
{
	size_t len = strcspn(text, ":");
	uint32_t port = SATIP_PORT;
	int r = 0;

	if (!is_name(text, len) || strstr(text, "://") != NULL)
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is neither an IP "
				   "address nor a host name: write HOST or "
				   "HOST:PORT", text);
	if (text[len] == ':')
		r = read_number("port", text + len + 1, 1, UINT16_MAX, &port,
				error);
	if (r < 0)
		return r;
	memcpy(spec->name, text, len);
	spec->name[len] = '\0';
	spec->port = (uint16_t)port;
	return 0;
}

static int read_server(const json_t *adapter, struct satip_spec *spec,
		       struct errmsg *error)
{
	const char *text = text_of(adapter, "server");
	struct address_endpoint at;
	int r = 0;

	if (address_endpoint(text, SATIP_PORT, &at, NULL) < 0 ||
	    sockaddr_parse(at.host, at.port, &spec->server) < 0)
		r = read_name(text, spec, error);
	if (r < 0)
		errmsg_prefix(error, "server: ");
	return r;
}

bool satip_spec_is_same(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "server", "transport", "budget" };
	bool same = json_object_get(a, "server") != NULL;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *x = json_object_get(a, keys[i]);
		const json_t *y = json_object_get(b, keys[i]);

		same = same && (x == y || json_equal(x, y));
	}
	return same;
}

bool satip_spec_has_name(const json_t *adapter)
{
	struct satip_spec spec = { 0 };
	struct errmsg error;

	return read_server(adapter, &spec, &error) == 0 &&
	       spec.name[0] != '\0';
}

static int read_transport(const json_t *adapter, struct satip_spec *spec,
			  struct errmsg *error)
{
	static const char *const names[] = {
		[SATIP_UDP] = "udp", [SATIP_MULTICAST] = "multicast",
		[SATIP_TCP] = "tcp",
	};
	const char *text = text_of(adapter, "transport");

	spec->fixed_transport = text[0] != '\0';
	if (text[0] == '\0')
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			spec->transport = (enum satip_transport)i;
			return 0;
		}
	}
	return errmsg_fail(error, -EINVAL, "transport: %s is not udp, tcp or "
			   "multicast", text);
}

static void copy_key(const json_t *adapter, const char *key, json_t *to)
{
	json_t *value = json_object_get(adapter, key);

	if (json_is_string(value) || json_is_number(value) ||
	    json_is_boolean(value))
		(void)json_object_set(to, key, value);
}

json_t *satip_spec_keys(const json_t *adapter)
{
	static const char *const keys[] = { "server", "transport", "type",
					    "frequency", "budget" };
	json_t *copy = json_object();

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		copy_key(adapter, keys[i], copy);
	for (size_t i = 0; i < ARRAY_LEN(parameters); i++)
		copy_key(adapter, parameters[i].key, copy);
	return copy;
}

int satip_spec_parse(const json_t *adapter, struct satip_spec *ret,
		     struct errmsg *error)
{
	struct satip_spec spec = { 0 };
	int r = read_server(adapter, &spec, error);

	if (r == 0)
		r = read_transport(adapter, &spec, error);
	spec.whole = !json_is_false(json_object_get(adapter, "budget"));
	if (r == 0)
		r = format_query(adapter, spec.query, error);
	if (r == 0)
		*ret = spec;
	return r;
}
