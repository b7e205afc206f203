/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/remux_options.h"

#include "proto/spec/field_idle.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <string.h>

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
	       o->service_type != 0 || o->hbbtv_url[0] != '\0' ||
	       o->n_edits > 0 || o->cue_pid != 0;
}

static int read_pid(const char *text, size_t len, unsigned min,
		    uint16_t *ret, struct errmsg *error)
{
	unsigned n;
	int r = option_number(text, len, min, MAP_PID_MAX, &n, error);

	if (r == 0)
		*ret = (uint16_t)n;
	return r;
}

/* --- lists of PIDs --- */

/* Finds the next item of "a, b,c", without blanks around it; false: no item is
 * left. */
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

int pid_set_read(struct pid_set *s, const char *text, struct errmsg *error)
{
	struct pid_set set = *s;
	const char *piece;
	uint16_t pid = 0;
	size_t len;

	while (next_piece(&text, &piece, &len)) {
		if (read_pid(piece, len, 1, &pid, error) < 0)
			return -EINVAL;
		pid_set_add(&set, pid);
	}
	*s = set;
	return 0;
}

/* --- languages --- */

/* Is it a language code of ISO 639-2: three letters, whose case is kept? */
static bool is_language(const char *text, size_t len)
{
	if (len != 3)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((text[i] | 0x20) < 'a' || (text[i] | 0x20) > 'z')
			return false;
	return true;
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

/* Reads the left side of a map: "video", "audio.eng"; false: the word is
 * unknown. */
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

static int read_map(struct remux_options *o, const char *source,
		    size_t source_len, const char *pid, size_t pid_len,
		    struct errmsg *error)
{
	bool number = source_len > 0 &&
		      strspn(source, "0123456789") >= source_len;
	struct pid_map m = { 0 };

	if (number) {
		m.what = MAP_PID;
		if (read_pid(source, source_len, 1, &m.source_pid, error) < 0)
			return -EINVAL;
	} else if (!read_word(source, source_len, &m)) {
		if (!is_language(source, source_len))
			return errmsg_fail(error, -EINVAL,
					   "\"%.*s\" is not a PID, a kind of "
					   "stream or a language",
					   (int)MIN(source_len, 32), source);
		m.what = MAP_LANGUAGE;
		memcpy(m.language, source, 3);
	}
	if (read_pid(pid, pid_len, MAP_PID_MIN, &m.pid, error) < 0)
		return -EINVAL;
	for (size_t i = 0; i < o->n_maps; i++)
		if (o->maps[i].pid == m.pid)
			return errmsg_fail(error, -EINVAL,
					   "%u is the PID of another map",
					   m.pid);
	if (o->n_maps == REMUX_MAPS_MAX)
		return errmsg_fail(error, -EINVAL, "has more than %d entries",
				   REMUX_MAPS_MAX);
	o->maps[o->n_maps++] = m;
	return 0;
}

int remux_maps_read(struct remux_options *o, const char *text,
		    struct errmsg *error)
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
			return errmsg_fail(error, -EINVAL,
					   "\"%.*s\" is not source=PID",
					   (int)MIN(len, 32), piece);
		left = (size_t)(sign - piece);
		while (left > 0 && piece[left - 1] == ' ')
			left--;
		pid = sign + 1;
		right = (size_t)(piece + len - pid);
		while (right > 0 && *pid == ' ')
			pid++, right--;
		if (read_map(o, piece, left, pid, right, error) < 0)
			return -EINVAL;
	}
	return 0;
}

/* --- the rows of the options --- */

static int read_pids(const struct field *f, const char *key, const char *text,
		     void *s, struct errmsg *error)
{
	(void)key;
	return pid_set_read((void *)((char *)s + f->offset), text, error);
}

static int read_pid_order(const struct field *f, const char *key,
			  const char *text, void *s, struct errmsg *error)
{
	struct remux_options *o = s;
	const char *piece;
	size_t len, n = 0;

	(void)f, (void)key;
	while (next_piece(&text, &piece, &len)) {
		if (n == REMUX_ORDER_MAX)
			return errmsg_fail(error, -EINVAL,
					   "has more than %d PIDs",
					   REMUX_ORDER_MAX);
		if (read_pid(piece, len, 1, &o->order[n], error) < 0)
			return -EINVAL;
		n++;
	}
	o->n_order = n;
	return 0;
}

/* Reads a map: map.SOURCE=PID. */
static int read_one_map(const struct field *f, const char *key,
			const char *text, void *s, struct errmsg *error)
{
	size_t prefix = strlen(f->key);

	return read_map(s, key + prefix, strlen(key + prefix), text,
			strlen(text), error);
}

/* Reads the language of a PID: lang.PID=eng. */
static int read_one_language(const struct field *f, const char *key,
			     const char *text, void *s, struct errmsg *error)
{
	struct remux_options *o = s;
	const char *pid = key + strlen(f->key);
	struct pid_language l = { 0 };

	if (read_pid(pid, strlen(pid), 1, &l.pid, error) < 0)
		return -EINVAL;
	if (!is_language(text, strlen(text)))
		return errmsg_fail(error, -EINVAL,
				   "\"%.16s\" is not a language of three "
				   "letters", text);
	memcpy(l.language, text, 3);
	if (o->n_languages == REMUX_LANGUAGES_MAX)
		return errmsg_fail(error, -EINVAL, "has more than %d languages",
				   REMUX_LANGUAGES_MAX);
	o->languages[o->n_languages++] = l;
	return 0;
}

/* Reads a flag that passes or drops a table: no_sdt drops it, a key without
 * "no_" passes it.  -EINVAL: an option before it says the opposite. */
static int read_rule(const struct field *f, const char *key, const char *text,
		     void *s, struct errmsg *error)
{
	enum table_rule *rule = (void *)((char *)s + f->offset);
	enum table_rule wanted = strncmp(key, "no_", 3) == 0 ? TABLE_DROP
							     : TABLE_PASS;
	bool on;

	if (option_flag(text, &on, error) < 0)
		return -EINVAL;
	if (!on)
		return 0;
	if (*rule != TABLE_DEFAULT && *rule != wanted)
		return errmsg_fail(error, -EINVAL, "contradicts the option "
				   "before it: pass or drop the table");
	*rule = wanted;
	return 0;
}

/* Reads "still", the path of a file, or a number of seconds. */
static int read_absent(const struct field *f, const char *key,
		       const char *text, void *s, struct errmsg *error)
{
	struct remux_options *o = s;
	const char *path = option_path(text);
	size_t len = strlen(text);

	(void)f, (void)key;
	if (len > 0 && strspn(text, "0123456789") == len) {
		o->absent = ABSENT_REMOVE;
		return option_number(text, len, 1, ABSENT_MAX_S, &o->absent_s,
				     error);
	}
	if (strcmp(text, "still") == 0) {
		o->absent = ABSENT_STILL;
		return 0;
	}
	if (path == NULL)
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is not "
				   "\"still\", the path of a file, or seconds",
				   text);
	if (strlen(path) >= ABSENT_PATH_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   ABSENT_PATH_MAX - 1);
	o->absent = ABSENT_FILE;
	memcpy(o->absent_path, path, strlen(path) + 1);
	return 0;
}

const struct field_hook remux_pids_hook = { .schema = "string",
					    .read = read_pids };
static const struct field_hook order_hook = { .schema = "string",
					      .read = read_pid_order };
static const struct field_hook map_hook = { .schema = "integer",
					    .read = read_one_map };
static const struct field_hook language_hook = { .schema = "string",
						 .read = read_one_language };
static const struct field_hook absent_hook = { .schema = "string",
					       .read = read_absent };
static const struct field_hook rule_hook = { .schema = "boolean",
					     .read = read_rule };

#define AT(member) FIELD_AT(struct remux_options, member)
#define BY(hook, member) FIELD_BY(&hook, struct remux_options, member)
#define SPAN(hook, first, last) \
	FIELD_BY_SPAN(&hook, struct remux_options, first, last)
#define PASS(table, text, idle) \
	{ "pass_" #table, BY(rule_hook, table), \
	  .flags = FIELD_OBSERVER, .idle_in = (idle), \
	  .help = "Passes the " text " of the source unchanged." }
#define DROP(table, text, idle) \
	{ "no_" #table, BY(rule_hook, table), \
	  .flags = FIELD_OBSERVER, .idle_in = (idle), \
	  .help = "Drops the " text " of the source." }

static const struct field rows[] = {
	{ "pnr", AT(pnr), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .help = "Number of the program to take from the source." },
	{ "set_pnr", AT(set_pnr), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .help = "Number of the program in the output." },
	{ "set_tsid", AT(set_tsid), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Identifier of the transport stream in the output." },
	{ "set_pcr_pid", AT(set_pcr_pid), .min = 1, .max = MAP_PID_MAX,
	  .flags = FIELD_OBSERVER,
	  .help = "PID of the source whose PCR is the program's clock." },
	{ "filter", BY(remux_pids_hook, drop),
	  .flags = FIELD_EVERY | FIELD_OBSERVER,
	  .help = "PIDs to drop, separated by commas." },
	{ "filter~", BY(remux_pids_hook, keep),
	  .flags = FIELD_EVERY | FIELD_OBSERVER,
	  .help = "PIDs to keep, separated by commas; others are dropped." },
	{ "filter_em", BY(remux_pids_hook, drop_ca),
	  .flags = FIELD_EVERY | FIELD_OBSERVER,
	  .help = "PIDs of ECM and EMM to drop, separated by commas." },
	{ "order", SPAN(order_hook, n_order, order),
	  .flags = FIELD_OBSERVER,
	  .help = "Order of the PIDs in the PMT of the output." },
	PASS(sdt, "SDT", 0), PASS(eit, "EIT", 0), PASS(nit, "NIT", WHERE_MUX),
	PASS(cat, "CAT", 0),
	{ "pass_tdt", BY(rule_hook, tdt),
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Passes the TDT, as always." },
	{ "pass_tot", BY(rule_hook, tot),
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Passes the TOT, as always." },
	DROP(sdt, "SDT", 0), DROP(eit, "EIT", 0), DROP(nit, "NIT", WHERE_MUX),
	DROP(cat, "CAT", 0), DROP(tdt, "TDT", WHERE_MUX),
	DROP(tot, "TOT", WHERE_MUX),
	{ "pass_data", AT(pass_data),
	  .flags = FIELD_OBSERVER,
	  .help = "Passes PIDs that no table lists." },
	{ "cas", AT(pass_ca),
	  .flags = FIELD_OBSERVER,
	  .help = "Passes ECM, EMM and their descriptors." },
	{ "map.", SPAN(map_hook, n_maps, maps),
	 
	  .flags = FIELD_GROUP | FIELD_EVERY | FIELD_OBSERVER,
	  .min = MAP_PID_MIN, .max = MAP_PID_MAX,
	  .help = "PID in the output of the source PID, kind or language." },
	{ "pid_base", AT(pid_base), .min = MAP_PID_MIN, .max = MAP_PID_MAX,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "In an mpts: the first PID and service number of the "
		  "input." },
	{ "pid_block", AT(pid_block), .min = 1, .max = MAP_PID_MAX,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "In an mpts: how many PIDs and service numbers the input "
		  "has." },
	{ "priority", AT(priority), .initial = PRIORITY_DEFAULT,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "In an mpts: the input with the lowest priority is stopped "
		  "first if the inputs exceed bitrate." },
	{ "rate_min", AT(rate_min), .min = 1, .max = CBR_MAX_KBPS,
	  .unit = "kbit/s", .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "In an mpts: an input up to this rate is stopped after all "
		  "others if the inputs exceed bitrate." },
	{ "rate_max", AT(rate_max), .min = 1, .max = CBR_MAX_KBPS,
	  .unit = "kbit/s", .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "In an mpts: the input is not sent while its rate is "
		  "higher." },
	{ "absent", SPAN(absent_hook, absent, absent_path),
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "In an mpts, while the input is silent: \"still\", the path "
		  "of a file, or the seconds after which its services leave "
		  "the tables." },
	{ "lang.", SPAN(language_hook, n_languages, languages),
	  .flags = FIELD_GROUP | FIELD_EVERY | FIELD_OBSERVER,
	  .help = "Language, of three letters, to set for the PID in the name "
		  "of the option." },
};

const struct field_table remux_fields = FIELD_TABLE(struct remux_options,
						    rows);

void remux_options_overlay(struct remux_options *input,
			   const struct remux_options *stream)
{
	struct pid_map maps[REMUX_MAPS_MAX];
	size_t n = stream->n_maps;
	size_t rest = MIN(input->n_maps, REMUX_MAPS_MAX - n);

	if (stream->set_pnr != 0)
		input->set_pnr = stream->set_pnr;
	if (stream->set_tsid != 0)
		input->set_tsid = stream->set_tsid;
	for (size_t i = 0; i < ARRAY_LEN(input->drop.words); i++)
		input->drop.words[i] |= stream->drop.words[i];
	input->drop.given |= stream->drop.given;
	if (stream->keep.given)
		input->keep = stream->keep;
	memcpy(maps, stream->maps, n * sizeof *maps);
	memcpy(maps + n, input->maps, rest * sizeof *maps);
	input->n_maps = n + rest;
	memcpy(input->maps, maps, input->n_maps * sizeof *maps);
	memcpy(input->service_name, stream->service_name,
	       sizeof input->service_name);
	memcpy(input->service_provider, stream->service_provider,
	       sizeof input->service_provider);
	input->service_type = stream->service_type;
	input->textcode = stream->textcode;
	memcpy(input->edits, stream->edits, sizeof input->edits);
	input->n_edits = stream->n_edits;
	input->cue_pid = stream->cue_pid;
	memcpy(input->hbbtv_url, stream->hbbtv_url, sizeof input->hbbtv_url);
}
