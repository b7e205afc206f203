/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/omission_log.h"

#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "proto/si/json.h"
#include "worker/ts/psi.h"

#include <stdio.h>

enum {
	LINES = 4, /* programs that are logged at once */
	TEXT = 200,
};

/* A hash of all parts that the tables omit, which detects changes; 0: no table
 * omits a part. */
static uint64_t hash_of(const struct remux *r)
{
	const struct sdt_omitted *sdt = remux_omitted_sdt(r);
	const struct pmt_omitted *o;
	uint64_t hash = HASH_INIT;
	uint16_t program;
	size_t at = 0, n = 0;

	for (unsigned t = EDIT_SDT; t < EDIT_TABLES; t++)
		if (remux_is_crowded(r, (enum edit_table)t)) {
			hash = hash_add(hash, &t, sizeof t);
			n++;
		}

	for (; (o = remux_omitted(r, &at, &program)) != NULL; n++) {
		size_t numbers[] = { program, o->n_streams, o->n_descriptors,
				     o->guest, o->ait };

		hash = hash_add(hash, numbers, sizeof numbers);
		hash = hash_add(hash, o->tags, sizeof o->tags);
	}
	if (sdt != NULL) {
		size_t numbers[] = { sdt->n_descriptors, sdt->provider,
				     sdt->name };

		hash = hash_add(hash, numbers, sizeof numbers);
		hash = hash_add(hash, sdt->tags, sizeof sdt->tags);
	}
	return n > 0 || sdt != NULL ? hash : 0;
}

/* Writes how many descriptors were dropped (n), and the tags in the list; ""
 * for none.  Returns the length of the text. */
static size_t add_tags(char text[TEXT], size_t n, const uint8_t *list)
{
	size_t tags = MIN(n, (size_t)PMT_OMITTED_TAGS), len = 0;

	text[0] = '\0';
	if (n > 0)
		len += (size_t)snprintf(text, TEXT,
					"; dropped descriptors: %zu, tags", n);
	for (size_t i = 0; i < tags; i++)
		len += (size_t)snprintf(text + len, TEXT - len, " 0x%02x",
					list[i]);
	return len;
}

static void describe(const struct pmt_omitted *o, char text[TEXT])
{
	size_t len = add_tags(text, o->n_descriptors, o->tags);

	if (o->n_streams > 0)
		len += (size_t)snprintf(text + len, TEXT - len,
					"; elementary streams not sent: %zu",
					o->n_streams);
	if (o->guest)
		len += (size_t)snprintf(text + len, TEXT - len,
					"; the PID of mux is not sent");
	if (o->ait)
		(void)snprintf(text + len, TEXT - len,
			       "; the AIT of hbbtv_url is not sent");
}

/* Logs when the number of programs changes whose packets the remux drops
 * because they exceed the limit. */
static void log_ignored(struct omission_log *l, const struct remux *r,
			const char *where, uint64_t now_ns)
{
	const struct psi *psi = remux_psi(r);
	size_t n = psi != NULL ? psi_ignored(psi) : 0;
	unsigned suppressed;

	if (n == l->ignored ||
	    (n > 0 && !ratelimit_pass(&l->ignored_limit, now_ns / MS,
				      &suppressed)))
		return;
	l->ignored = n;
	if (n > 0)
		log_warning("stream", "%s: packets of %zu programs are "
			    "dropped: the PAT lists %zu programs, the limit is "
			    "%u; select a program with pnr",
			    where, n, PSI_PROGRAMS_MAX + n,
			    (unsigned)PSI_PROGRAMS_MAX);
}

void omission_log_second(struct omission_log *l, const struct remux *r,
			 const char *where, uint64_t now_ns)
{
	static const char *const names[EDIT_TABLES] = {
		[EDIT_SDT] = "SDT", [EDIT_NIT] = "NIT", [EDIT_BAT] = "BAT" };
	const struct sdt_omitted *sdt = remux_omitted_sdt(r);
	const struct pmt_omitted *o;
	uint64_t hash = hash_of(r);
	unsigned suppressed;
	char text[TEXT];
	uint16_t program;
	size_t at = 0;

	log_ignored(l, r, where, now_ns);
	if (hash == l->logged ||
	    (hash != 0 && !ratelimit_pass(&l->limit, now_ns / MS,
					  &suppressed)))
		return;
	l->logged = hash;
	if (sdt != NULL) {
		(void)add_tags(text, sdt->n_descriptors, sdt->tags);
		log_warning("stream", "%s: the SDT has no room for the whole "
			    "entry of the service%s%s%s", where, text,
			    sdt->provider ? "; the provider is too long" : "",
			    sdt->name ? "; the name is too long" : "");
	}
	for (unsigned t = EDIT_SDT; t < EDIT_TABLES; t++)
		if (remux_is_crowded(r, (enum edit_table)t))
			log_error("stream", "%s: descriptors: not applied: the "
				  "%s has no room for them",
				  where, names[t]);
	for (size_t i = 0; i < LINES; i++) {
		o = remux_omitted(r, &at, &program);
		if (o == NULL)
			return;
		describe(o, text);
		log_warning("stream", "%s: the PMT of program %u exceeds 1,024 "
			    "bytes%s; drop PIDs with filter",
			    where, program, text);
	}
}

json_t *omission_list(const struct remux *r)
{
	const struct pmt_omitted *o;
	json_t *list = NULL;
	uint16_t program;
	size_t at = 0;

	while ((o = remux_omitted(r, &at, &program)) != NULL) {
		json_t *one = json_object();

		si_put_uint(one, "program", program);
		si_put_uint(one, "streams", o->n_streams);
		si_put_uint(one, "descriptors", o->n_descriptors);
		(void)json_object_set_new(one, "mux", json_boolean(o->guest));
		(void)json_object_set_new(one, "ait", json_boolean(o->ait));
		if (list == NULL)
			list = json_array();
		(void)json_array_append_new(list, one);
	}
	return list;
}

json_t *omission_sdt(const struct remux *r)
{
	const struct sdt_omitted *o = remux_omitted_sdt(r);
	json_t *one;

	if (o == NULL)
		return NULL;
	one = json_object();
	si_put_uint(one, "descriptors", o->n_descriptors);
	(void)json_object_set_new(one, "provider", json_boolean(o->provider));
	(void)json_object_set_new(one, "name", json_boolean(o->name));
	return one;
}
