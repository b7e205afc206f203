/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/scan_services.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	SDT_ACTUAL = 0x42,
	NIT_ACTUAL = 0x40,
	CVCT = 0xc9, /* the VCT of cable */
	NO_VERSION = -1,
	SECTIONS = 256, /* largest number of sections of a table */
};

struct service {
	uint16_t pnr;
	bool in_pat, has_pmt, changed;
	bool free_ca;      /* free_CA_mode of the SDT, or access_controlled of
			    * the VCT */
	int type;          /* service_type of EN 300 468; -1: unknown */
	/* strings; NULL: unknown */
	json_t *name, *name_error, *provider, *channel;
	size_t n_caids;
	uint16_t caids[SERVICE_CAIDS_MAX];
};

/* The sections of a table that were received, of one version. */
struct table {
	int version, last;
	json_int_t id; /* of the multiplex or network; -1: unknown */
	bool seen[SECTIONS];
};

struct scan_services {
	struct table pat, sdt, nit;
	/* separate tables, because their versions differ */
	struct table tvct, cvct;
	json_int_t onid; /* -1: unknown */
	size_t n;
	struct service services[SERVICES_MAX];
};

struct scan_services *scan_services_new(void)
{
	struct scan_services *l = xcalloc(1, sizeof *l);

	l->pat.version = l->sdt.version = l->nit.version = NO_VERSION;
	l->tvct.version = l->cvct.version = NO_VERSION;
	l->pat.id = l->nit.id = l->onid = -1;
	return l;
}

void scan_services_free(struct scan_services **pl)
{
	struct scan_services *l = *pl;

	*pl = NULL;
	for (size_t i = 0; l != NULL && i < l->n; i++) {
		json_decref(l->services[i].name);
		json_decref(l->services[i].name_error);
		json_decref(l->services[i].provider);
		json_decref(l->services[i].channel);
	}
	free(l);
}

static json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* Finds the service, or adds it; NULL: the list is full. */
static struct service *find(struct scan_services *l, json_int_t pnr)
{
	struct service *s = l->services;

	for (; s < l->services + l->n; s++)
		if (s->pnr == pnr)
			return s;
	if (l->n == SERVICES_MAX)
		return NULL;
	l->n++;
	s->pnr = (uint16_t)pnr;
	s->type = -1;
	return s;
}

/* Notes a section as received; true: the table has another version or belongs
 * to another multiplex or network. */
static bool take_section(struct table *t, const json_t *record, json_int_t id)
{
	int version = (int)number(record, "version");
	bool other = version != t->version || id != t->id;

	if (other)
		memset(t->seen, 0, sizeof t->seen);
	t->version = version;
	t->id = id;
	t->last = (int)number(record, "last_section_number") % SECTIONS;
	t->seen[number(record, "section_number") % SECTIONS] = true;
	return other;
}

static bool is_whole(const struct table *t)
{
	if (t->version == NO_VERSION)
		return false;
	for (int i = 0; i <= t->last; i++)
		if (!t->seen[i])
			return false;
	return true;
}

static void add_pat(struct scan_services *l, const json_t *record)
{
	const json_t *program;
	size_t i;

	if (take_section(&l->pat, record, number(record, "tsid")))
		for (i = 0; i < l->n; i++)
			l->services[i].in_pat = false;
	json_array_foreach(json_object_get(record, "programs"), i, program) {
		struct service *s = find(l, number(program, "pnr"));

		if (s == NULL)
			return;
		s->changed = s->changed || !s->in_pat;
		s->in_pat = true;
	}
}

static void add_caids(struct service *s, const json_t *object)
{
	const json_t *descriptor;
	size_t i;

	json_array_foreach(json_object_get(object, "descriptors"), i,
			   descriptor) {
		const char *name = json_string_value(
			json_object_get(descriptor, "type_name"));
		json_int_t caid = number(descriptor, "caid");
		size_t k = 0;

		if (name == NULL || strcmp(name, "cas") != 0)
			continue;
		while (k < s->n_caids && s->caids[k] != caid)
			k++;
		if (k == s->n_caids && k < ARRAY_LEN(s->caids))
			s->caids[s->n_caids++] = (uint16_t)caid;
	}
}

static void add_pmt(struct scan_services *l, const json_t *record)
{
	struct service *s = find(l, number(record, "pnr"));
	const json_t *stream;
	size_t i;

	if (s == NULL)
		return;
	s->has_pmt = s->changed = true;
	s->n_caids = 0;
	add_caids(s, record);
	json_array_foreach(json_object_get(record, "streams"), i, stream)
		add_caids(s, stream);
}

static void take_text(json_t **ret, const json_t *text)
{
	if (json_string_length(text) == 0)
		return;
	json_decref(*ret);
	*ret = json_incref((json_t *)(uintptr_t)text);
}

static void describe(struct service *s, const json_t *entry)
{
	const json_t *descriptor;
	size_t i;

	s->changed = true;
	s->free_ca = json_is_true(json_object_get(entry, "free_ca"));
	json_array_foreach(json_object_get(entry, "descriptors"), i,
			   descriptor) {
		const json_t *type = json_object_get(descriptor,
						     "service_type_id");

		if (!json_is_integer(type))
			continue;
		s->type = (int)json_integer_value(type);
		take_text(&s->name, json_object_get(descriptor,
						    "service_name"));
		take_text(&s->provider, json_object_get(descriptor,
							"service_provider"));
	}
}

static void add_sdt(struct scan_services *l, const json_t *record)
{
	const json_t *entry;
	size_t i;

	if (number(record, "table_id") != SDT_ACTUAL)
		return;
	(void)take_section(&l->sdt, record, number(record, "tsid"));
	l->onid = number(record, "onid");
	json_array_foreach(json_object_get(record, "services"), i, entry) {
		struct service *s = find(l, number(entry, "sid"));

		if (s != NULL)
			describe(s, entry);
	}
}

/* The service_type of EN 300 468 for that of A/65 table 6.7; -1: there is no
 * such type. */
static int dvb_type(json_int_t atsc)
{
	switch (atsc) {
	case 2: /* television */
		return 0x01;
	case 3: /* audio */
		return 0x02;
	case 4: /* data */
		return 0x0c;
	default:
		return -1;
	}
}

static void add_channel(struct scan_services *l, const json_t *channel)
{
	json_int_t pnr = number(channel, "pnr");
	/* program number 0: the channel is not in a transport stream
	 * (analogue); 0xffff: not on air */
	struct service *s = pnr > 0 && pnr < 0xffff ? find(l, pnr) : NULL;
	const json_t *name = json_object_get(channel, "name");

	if (s == NULL)
		return;
	s->changed = true;
	s->free_ca = json_is_true(json_object_get(channel,
						  "access_controlled"));
	s->type = dvb_type(number(channel, "service_type_id"));
	take_text(&s->name, name != NULL
		  ? name : json_object_get(channel, "short_name"));
	json_decref(s->name_error);
	s->name_error = json_incref(json_object_get(channel, "name_error"));
	take_text(&s->channel, json_object_get(channel, "channel"));
}

static void add_vct(struct scan_services *l, const json_t *record)
{
	json_int_t tsid = number(record, "tsid");
	const json_t *channel;
	size_t i;

	(void)take_section(number(record, "table_id") == CVCT
			   ? &l->cvct : &l->tvct, record, tsid);
	/* a VCT may list channels of other multiplexes */
	json_array_foreach(json_object_get(record, "channels"), i, channel)
		if (number(channel, "tsid") == tsid)
			add_channel(l, channel);
}

void scan_services_add(struct scan_services *l, const json_t *record)
{
	const char *psi = json_string_value(json_object_get(record, "psi"));

	/* "next": a table that is not valid yet */
	if (psi == NULL || json_object_get(record, "next") != NULL)
		return;
	if (strcmp(psi, "pat") == 0)
		add_pat(l, record);
	else if (strcmp(psi, "pmt") == 0)
		add_pmt(l, record);
	else if (strcmp(psi, "sdt") == 0)
		add_sdt(l, record);
	else if (strcmp(psi, "vct") == 0)
		add_vct(l, record);
	else if (strcmp(psi, "nit") == 0 &&
		 number(record, "table_id") == NIT_ACTUAL)
		(void)take_section(&l->nit, record,
				   number(record, "network_id"));
}

static json_t *write_service(const struct service *s)
{
	json_t *object = json_pack("{s:i}", "pnr", (int)s->pnr);
	json_t *caids;

	if (s->name != NULL)
		(void)json_object_set(object, "name", s->name);
	if (s->name_error != NULL)
		(void)json_object_set(object, "name_error", s->name_error);
	if (s->provider != NULL)
		(void)json_object_set(object, "provider", s->provider);
	if (s->channel != NULL)
		(void)json_object_set(object, "channel", s->channel);
	if (s->type >= 0)
		(void)json_object_set_new(object, "service_type",
					  json_integer(s->type));
	(void)json_object_set_new(object, "scrambled",
				  json_boolean(s->free_ca || s->n_caids > 0));
	if (s->n_caids == 0)
		return object;
	caids = json_array();
	for (size_t i = 0; i < s->n_caids; i++)
		(void)json_array_append_new(caids, json_integer(s->caids[i]));
	(void)json_object_set_new(object, "caids", caids);
	return object;
}

json_t *scan_services_next(struct scan_services *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct service *s = &l->services[i];

		if (!s->changed || !s->in_pat)
			continue;
		s->changed = false;
		return write_service(s);
	}
	return NULL;
}

bool scan_services_lacks_names(const struct scan_services *l)
{
	return l->sdt.version == NO_VERSION && l->tvct.version == NO_VERSION &&
	       l->cvct.version == NO_VERSION;
}

bool scan_services_lacks_nit(const struct scan_services *l, bool with_sdt)
{
	return l->nit.version == NO_VERSION &&
	       (!with_sdt || l->sdt.version == NO_VERSION);
}

bool scan_services_is_complete(const struct scan_services *l, bool nit,
			       bool names)
{
	if (!is_whole(&l->pat) || (nit && !is_whole(&l->nit)))
		return false;
	if (names && !is_whole(&l->sdt) && !is_whole(&l->tvct) &&
	    !is_whole(&l->cvct))
		return false;
	for (size_t i = 0; i < l->n; i++)
		if (l->services[i].in_pat && !l->services[i].has_pmt)
			return false;
	return true;
}

void scan_services_put_ids(const struct scan_services *l, json_t *object)
{
	const struct {
		const char *key;
		json_int_t id;
	} ids[] = {
		{ "tsid", l->pat.id }, { "onid", l->onid },
		{ "network_id", l->nit.id },
	};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		if (ids[i].id >= 0)
			(void)json_object_set_new(object, ids[i].key,
						  json_integer(ids[i].id));
}
