/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/remux_options.h"

#include "proto/spec/option_value.h"

#include <errno.h>
#include <string.h>

enum form {
	FORM_PID,    /* uint16_t */
	FORM_ID,     /* uint16_t, 1 to 65535 */
	FORM_PIDS,   /* struct pid_set */
	FORM_FLAG,   /* bool */
	FORM_PASS,   /* enum table_rule */
	FORM_DROP,   /* enum table_rule */
	FORM_ORDER,
};

struct option {
	const char *key;
	enum form form;
	size_t offset;
};

#define AT(member) offsetof(struct remux_options, member)

static const struct option options[] = {
	{ "pnr", FORM_ID, AT(pnr) },
	{ "set_pnr", FORM_ID, AT(set_pnr) },
	{ "set_tsid", FORM_ID, AT(set_tsid) },
	{ "set_pcr_pid", FORM_PID, AT(set_pcr_pid) },
	{ "filter", FORM_PIDS, AT(drop) },
	{ "filter~", FORM_PIDS, AT(keep) },
	{ "filter_em", FORM_PIDS, AT(drop_ca) },
	{ "order", FORM_ORDER, 0 },
	{ "pass_sdt", FORM_PASS, AT(sdt) },
	{ "pass_eit", FORM_PASS, AT(eit) },
	{ "pass_nit", FORM_PASS, AT(nit) },
	{ "pass_cat", FORM_PASS, AT(cat) },
	{ "pass_tdt", FORM_PASS, AT(tdt) },
	{ "pass_tot", FORM_PASS, AT(tot) },
	{ "no_sdt", FORM_DROP, AT(sdt) },
	{ "no_eit", FORM_DROP, AT(eit) },
	{ "no_nit", FORM_DROP, AT(nit) },
	{ "no_cat", FORM_DROP, AT(cat) },
	{ "no_tdt", FORM_DROP, AT(tdt) },
	{ "no_tot", FORM_DROP, AT(tot) },
	{ "pass_data", FORM_FLAG, AT(pass_data) },
	{ "cas", FORM_FLAG, AT(pass_ca) },
};

bool remux_options_given(const struct remux_options *o)
{
	return o->pnr != 0 || o->set_pnr != 0 || o->set_tsid != 0 ||
	       o->set_pcr_pid != 0 || o->drop.given || o->keep.given ||
	       o->drop_ca.given || o->n_order > 0 || o->n_languages > 0 ||
	       o->n_maps > 0 || o->sdt != TABLE_DEFAULT ||
	       o->eit != TABLE_DEFAULT || o->nit != TABLE_DEFAULT ||
	       o->cat != TABLE_DEFAULT || o->tdt != TABLE_DEFAULT ||
	       o->tot != TABLE_DEFAULT || o->pass_data || o->pass_ca ||
	       o->service_name[0] != '\0' || o->service_provider[0] != '\0' ||
	       o->service_type != 0 || o->hbbtv_url[0] != '\0';
}

static int read_pid(const char *text, size_t len, unsigned min,
		    uint16_t *ret, struct errmsg *why)
{
	unsigned n;
	int r = option_number(text, len, min, MAP_PID_MAX, &n, why);

	if (r == 0)
		*ret = (uint16_t)n;
	return r;
}

/* --- lists of PIDs --- */

/* The next piece of "a, b,c" without the blanks around it; false at the end. */
static bool next_piece(const char **text, const char **ret, size_t *ret_len)
{
	const char *piece = *text;
	size_t len;

	if (piece == NULL)
		return false;
	len = strcspn(piece, ",");
	*text = piece[len] == ',' ? piece + len + 1 : NULL;
	while (len > 0 && *piece == ' ')
		piece++, len--;
	while (len > 0 && piece[len - 1] == ' ')
		len--;
	*ret = piece;
	*ret_len = len;
	return true;
}

int pid_set_read(struct pid_set *s, const char *text, struct errmsg *why)
{
	struct pid_set set = *s;
	const char *piece;
	uint16_t pid = 0;
	size_t len;

	while (next_piece(&text, &piece, &len)) {
		if (read_pid(piece, len, 1, &pid, why) < 0)
			return -EINVAL;
		pid_set_add(&set, pid);
	}
	*s = set;
	return 0;
}

static int read_order(struct remux_options *o, const char *text,
		      struct errmsg *why)
{
	const char *piece;
	size_t len, n = 0;

	while (next_piece(&text, &piece, &len)) {
		if (n == REMUX_ORDER_MAX)
			return errmsg_fail(why, -EINVAL,
					   "has more than %d PIDs",
					   REMUX_ORDER_MAX);
		if (read_pid(piece, len, 1, &o->order[n], why) < 0)
			return -EINVAL;
		n++;
	}
	o->n_order = n;
	return 0;
}

/* --- languages --- */

/* ISO 639-2: three letters, kept as they are. */
static bool is_language(const char *text, size_t len)
{
	if (len != 3)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((text[i] | 0x20) < 'a' || (text[i] | 0x20) > 'z')
			return false;
	return true;
}

static int read_language(struct remux_options *o, const char *pid,
			 const char *value, struct errmsg *why)
{
	struct pid_language l = { 0 };

	if (read_pid(pid, strlen(pid), 1, &l.pid, why) < 0)
		return -EINVAL;
	if (!is_language(value, strlen(value)))
		return errmsg_fail(why, -EINVAL,
				   "\"%.16s\" is not a language of three "
				   "letters", value);
	memcpy(l.language, value, 3);
	if (o->n_languages == REMUX_LANGUAGES_MAX)
		return errmsg_fail(why, -EINVAL, "is one more than %d",
				   REMUX_LANGUAGES_MAX);
	o->languages[o->n_languages++] = l;
	return 0;
}

/* --- maps --- */

static const struct {
	const char *word;
	enum map_what what;
} words[] = {
	{ "pmt", MAP_PMT },        { "pcr", MAP_PCR },
	{ "video", MAP_VIDEO },    { "audio", MAP_AUDIO },
	{ "ac3", MAP_AC3 },        { "aac", MAP_AAC },
	{ "sub", MAP_SUBTITLE },   { "ttx", MAP_TELETEXT },
	{ "ait", MAP_AIT },
};

static bool is_digits(const char *text, size_t len)
{
	return len > 0 && strspn(text, "0123456789") >= len;
}

/* "video", "audio.eng"; false: no such word. */
static bool read_word(const char *text, size_t len, struct pid_map *m)
{
	const char *dot = memchr(text, '.', len);
	size_t word = dot != NULL ? (size_t)(dot - text) : len;

	if (dot != NULL && !is_language(dot + 1, len - word - 1))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strlen(words[i].word) != word ||
		    memcmp(words[i].word, text, word) != 0)
			continue;
		m->what = words[i].what;
		if (dot != NULL)
			memcpy(m->language, dot + 1, 3);
		return dot == NULL || m->what >= MAP_AUDIO;
	}
	return false;
}

static int read_map_source(const char *text, size_t len, struct pid_map *m,
			   struct errmsg *why)
{
	if (is_digits(text, len)) {
		m->what = MAP_PID;
		return read_pid(text, len, 1, &m->source_pid, why);
	}
	if (read_word(text, len, m))
		return 0;
	if (!is_language(text, len))
		return errmsg_fail(why, -EINVAL,
				   "\"%.*s\" is not a PID, a kind of stream "
				   "or a language", (int)MIN(len, 32), text);
	m->what = MAP_LANGUAGE;
	memcpy(m->language, text, 3);
	return 0;
}

static int read_map(struct remux_options *o, const char *source,
		    size_t source_len, const char *pid, size_t pid_len,
		    struct errmsg *why)
{
	struct pid_map m = { 0 };

	if (read_map_source(source, source_len, &m, why) < 0 ||
	    read_pid(pid, pid_len, MAP_PID_MIN, &m.pid, why) < 0)
		return -EINVAL;
	for (size_t i = 0; i < o->n_maps; i++)
		if (o->maps[i].pid == m.pid)
			return errmsg_fail(why, -EINVAL,
					   "%u is the PID of another map",
					   m.pid);
	if (o->n_maps == REMUX_MAPS_MAX)
		return errmsg_fail(why, -EINVAL, "has more than %d entries",
				   REMUX_MAPS_MAX);
	o->maps[o->n_maps++] = m;
	return 0;
}

int remux_maps_read(struct remux_options *o, const char *text,
		    struct errmsg *why)
{
	const char *piece;
	size_t len;

	while (next_piece(&text, &piece, &len)) {
		const char *sign = memchr(piece, '=', len);
		size_t left, right;
		const char *pid;

		if (len == 0)
			continue;
		if (sign == NULL)
			return errmsg_fail(why, -EINVAL,
					   "\"%.*s\" is not source=PID",
					   (int)MIN(len, 32), piece);
		left = (size_t)(sign - piece);
		while (left > 0 && piece[left - 1] == ' ')
			left--;
		pid = sign + 1;
		right = (size_t)(piece + len - pid);
		while (right > 0 && *pid == ' ')
			pid++, right--;
		if (read_map(o, piece, left, pid, right, why) < 0)
			return -EINVAL;
	}
	return 0;
}

/* --- the options of an address --- */

static const struct option *find_option(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (strcmp(options[i].key, key) == 0)
			return &options[i];
	return NULL;
}

static int read_id(const char *value, uint16_t *ret, struct errmsg *why)
{
	unsigned n;
	int r = option_number(value, strlen(value), 1, UINT16_MAX, &n, why);

	if (r == 0)
		*ret = (uint16_t)n;
	return r;
}

static int read_rule(const char *value, enum table_rule wanted,
		     enum table_rule *rule, struct errmsg *why)
{
	bool on;

	if (option_flag(value, &on, why) < 0)
		return -EINVAL;
	if (!on)
		return 0;
	if (*rule != TABLE_DEFAULT && *rule != wanted)
		return errmsg_fail(why, -EINVAL, "contradicts the option "
				   "before it: pass or drop the table");
	*rule = wanted;
	return 0;
}

static int read_plain(struct remux_options *o, const struct option *option,
		      const char *value, struct errmsg *why)
{
	void *field = (char *)o + option->offset;

	switch (option->form) {
	case FORM_PID:
		return read_pid(value, strlen(value), 1, field, why);
	case FORM_ID:
		return read_id(value, field, why);
	case FORM_PIDS:
		return pid_set_read(field, value, why);
	case FORM_FLAG:
		return option_flag(value, field, why);
	case FORM_PASS:
		return read_rule(value, TABLE_PASS, field, why);
	case FORM_DROP:
		return read_rule(value, TABLE_DROP, field, why);
	case FORM_ORDER:
		return read_order(o, value, why);
	}
	return -ENOENT;
}

int remux_option_read(struct remux_options *o, const char *key,
		      const char *value, struct errmsg *why)
{
	const struct option *option = find_option(key);

	if (option != NULL)
		return read_plain(o, option, value, why);
	if (strncmp(key, "lang.", 5) == 0)
		return read_language(o, key + 5, value, why);
	if (strncmp(key, "map.", 4) == 0)
		return read_map(o, key + 4, strlen(key + 4), value,
				strlen(value), why);
	return -ENOENT;
}

/* --- two together --- */

static void overlay_maps(struct remux_options *input,
			 const struct remux_options *stream)
{
	struct pid_map maps[REMUX_MAPS_MAX];
	size_t n = stream->n_maps;
	size_t rest = MIN(input->n_maps, REMUX_MAPS_MAX - n);

	memcpy(maps, stream->maps, n * sizeof *maps);
	memcpy(maps + n, input->maps, rest * sizeof *maps);
	input->n_maps = n + rest;
	memcpy(input->maps, maps, input->n_maps * sizeof *maps);
}

void remux_options_overlay(struct remux_options *input,
			   const struct remux_options *stream)
{
	if (stream->set_pnr != 0)
		input->set_pnr = stream->set_pnr;
	if (stream->set_tsid != 0)
		input->set_tsid = stream->set_tsid;
	for (size_t i = 0; i < ARRAY_LEN(input->drop.words); i++)
		input->drop.words[i] |= stream->drop.words[i];
	input->drop.given |= stream->drop.given;
	if (stream->keep.given)
		input->keep = stream->keep;
	overlay_maps(input, stream);
	memcpy(input->service_name, stream->service_name,
	       sizeof input->service_name);
	memcpy(input->service_provider, stream->service_provider,
	       sizeof input->service_provider);
	input->service_type = stream->service_type;
	input->textcode = stream->textcode;
	memcpy(input->hbbtv_url, stream->hbbtv_url, sizeof input->hbbtv_url);
}
