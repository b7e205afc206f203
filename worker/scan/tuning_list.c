/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/tuning_list.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	NIT_ACTUAL = 0x40,
	CELLS_MAX = 8, /* frequencies of a T2 system that are added */
	ISI_GOLD = 1 << 26,
};

/* difference in MHz up to which two frequencies are the same, because tables
 * are not exact */
static const double same_mhz = 2;

struct tuning_list {
	const struct scan_spec *spec;
	size_t next;
	size_t n; /* number of tunings[]; not for a blind scan */
	json_t *tunings[SCAN_NETWORK_MAX];
	json_t *current; /* NULL: none was tuned yet */
	json_t *found;   /* blind scan: tunings that had lock */
};

struct tuning_list *tuning_list_new(const struct scan_spec *spec)
{
	static const char *const keys[] = {
		"type", "frequency", "polarization", "symbolrate", "stream_id",
		"bandwidth", "modulation", "fec", "rolloff",
	};
	struct tuning_list *l = xcalloc(1, sizeof *l);

	l->spec = spec;
	l->found = json_array();
	if (spec->search == SCAN_BLIND)
		return l;
	/* the first tuning is that of the adapter itself */
	l->tunings[l->n++] = json_object();
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *value = json_object_get(spec->adapter, keys[i]);

		if (value != NULL)
			(void)json_object_set(l->tunings[0], keys[i], value);
	}
	return l;
}

void tuning_list_free(struct tuning_list **pl)
{
	struct tuning_list *l = *pl;

	*pl = NULL;
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->n; i++)
		json_decref(l->tunings[i]);
	json_decref(l->current);
	json_decref(l->found);
	free(l);
}

/* --- comparison --- */

/* Reads a frequency in MHz.  The configuration may have it in kHz or Hz, and as
 * a text. */
static double read_mhz(const json_t *tuning)
{
	const json_t *value = json_object_get(tuning, "frequency");
	const char *text = json_string_value(value);
	double f = text != NULL ? strtod(text, NULL) : json_number_value(value);

	while (f >= 100000)
		f /= 1000;
	return f;
}

static bool has_same(const json_t *a, const json_t *b, const char *key)
{
	const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);

	if (x == NULL || y == NULL)
		return true;
	return json_is_string(x) && json_is_string(y)
		       ? strcasecmp(json_string_value(x),
				    json_string_value(y)) == 0
		       : json_equal(x, y);
}

/* --- tunings --- */

/* Does the frequency of the tuning lie within a transponder that was found: at
 * most half of its symbol rate plus 20 percent roll-off from its frequency, or
 * half of a 6 MHz channel? */
static bool is_known(const struct tuning_list *l, const json_t *tuning)
{
	const json_t *found;
	size_t i;

	json_array_foreach(l->found, i, found) {
		double kbd = (double)json_integer_value(
			json_object_get(found, "symbolrate"));
		double half = kbd > 0 ? kbd * 1.2 / 2000 : 3;

		if (fabs(read_mhz(found) - read_mhz(tuning)) <= half &&
		    has_same(found, tuning, "polarization"))
			return true;
	}
	return false;
}

json_t *tuning_list_next(struct tuning_list *l)
{
	bool blind = l->spec->search == SCAN_BLIND;
	json_t *tuning = NULL;

	while (blind && tuning == NULL && l->next < l->spec->steps) {
		tuning = scan_spec_step(l->spec, l->next++);
		if (is_known(l, tuning)) {
			json_decref(tuning);
			tuning = NULL;
		}
	}
	if (!blind && l->next < l->n)
		tuning = json_incref(l->tunings[l->next++]);
	if (tuning == NULL)
		return NULL;
	json_decref(l->current);
	l->current = tuning;
	/* the first tuning is the configuration of the adapter itself */
	return l->next == 1 && !blind
		       ? json_deep_copy(l->spec->adapter)
		       : scan_spec_tuned(l->spec->adapter, tuning);
}

json_t *tuning_list_current(const struct tuning_list *l)
{
	return l->current != NULL ? json_deep_copy(l->current)
				  : json_object();
}

void tuning_list_found(struct tuning_list *l)
{
	if (l->spec->search == SCAN_BLIND && l->current != NULL &&
	    json_array_size(l->found) < SCAN_NETWORK_MAX)
		(void)json_array_append(l->found, l->current);
}

size_t tuning_list_done(const struct tuning_list *l)
{
	return l->next;
}

size_t tuning_list_total(const struct tuning_list *l)
{
	return l->spec->search == SCAN_BLIND ? l->spec->steps : l->n;
}

/* --- NIT --- */

/* Adds a tuning, or frees it if the list has it already or is full.  Takes the
 * reference. */
static void add(struct tuning_list *l, json_t *tuning)
{
	for (size_t i = 0; i < l->n; i++) {
		const json_t *had = l->tunings[i];

		if (fabs(read_mhz(had) - read_mhz(tuning)) <= same_mhz &&
		    has_same(had, tuning, "polarization") &&
		    has_same(had, tuning, "stream_id")) {
			json_decref(tuning);
			return;
		}
	}
	if (l->n == SCAN_NETWORK_MAX)
		json_decref(tuning);
	else
		l->tunings[l->n++] = tuning;
}

static void copy(json_t *to, const json_t *from, const char *key)
{
	json_t *value = json_object_get(from, key);
	const char *word = json_string_value(value);

	if (value != NULL && (word == NULL || (strcmp(word, "undefined") != 0 &&
					       strcmp(word, "none") != 0)))
		(void)json_object_set(to, key, value);
}

static json_t *tuning_of(const json_t *khz, const char *type)
{
	json_t *tuning = json_object();
	json_int_t f = json_integer_value(khz);

	(void)json_object_set_new(tuning, "frequency",
				  f % 1000 == 0 ? json_integer(f / 1000)
						: json_real((double)f / 1000));
	if (type != NULL)
		(void)json_object_set_new(tuning, "type", json_string(type));
	return tuning;
}

static json_t *satellite_tuning(const json_t *d)
{
	const char *type = json_string_value(json_object_get(d, "type"));
	json_t *tuning = tuning_of(json_object_get(d, "frequency_khz"), type);

	copy(tuning, d, "polarization");
	copy(tuning, d, "symbolrate");
	copy(tuning, d, "fec");
	if (type != NULL && strcmp(type, "S2") == 0) {
		copy(tuning, d, "modulation");
		copy(tuning, d, "rolloff");
	}
	return tuning;
}

/* Adds the stream id of an S2 descriptor with multistream to the tuning, which
 * is that of the satellite descriptor in the same loop. */
static void add_stream_id(json_t *tuning, const json_t *d)
{
	const json_t *isi = json_object_get(d, "stream_id");
	const json_t *code = json_object_get(d, "scrambling_sequence");

	if (tuning == NULL || (isi == NULL && code == NULL))
		return;
	(void)json_object_set_new(
		tuning, "stream_id",
		json_integer((code != NULL ? ISI_GOLD : 0) +
			     json_integer_value(code) * 256 +
			     json_integer_value(isi)));
}

static json_t *cable_tuning(const json_t *d)
{
	json_t *tuning = tuning_of(json_object_get(d, "frequency_khz"), NULL);

	copy(tuning, d, "symbolrate");
	copy(tuning, d, "modulation");
	copy(tuning, d, "fec");
	return tuning;
}

/* The tuning of a terrestrial descriptor: only frequency and bandwidth.  The
 * receiver detects the other values, because tables often have wrong ones. */
static json_t *terrestrial_tuning(const json_t *d)
{
	json_t *tuning = tuning_of(json_object_get(d, "frequency_khz"), "T");

	copy(tuning, d, "bandwidth");
	return tuning;
}

static void add_t2(struct tuning_list *l, const json_t *d)
{
	const json_t *cell, *khz;
	size_t i, j, n = 0;

	json_array_foreach(json_object_get(d, "cells"), i, cell)
		json_array_foreach(json_object_get(cell, "frequencies_khz"), j,
				   khz) {
			json_t *tuning;

			if (n++ >= CELLS_MAX)
				return;
			tuning = tuning_of(khz, "T2");
			copy(tuning, d, "bandwidth");
			(void)json_object_set(tuning, "stream_id",
					      json_object_get(d, "plp_id"));
			add(l, tuning);
		}
}

/* Does the type of this adapter begin with the letter: S, C or T? */
static bool is_type(const struct tuning_list *l, char first)
{
	const char *type = json_string_value(
		json_object_get(l->spec->adapter, "type"));

	return type != NULL && type[0] == first;
}

static void add_stream(struct tuning_list *l, const json_t *stream)
{
	json_t *tuning = NULL;
	const json_t *d;
	size_t i;

	json_array_foreach(json_object_get(stream, "descriptors"), i, d) {
		const char *name = json_string_value(
			json_object_get(d, "type_name"));
		json_t *made = NULL;

		/* a truncated descriptor has only its bytes, as "data" */
		if (name == NULL || json_object_get(d, "data") != NULL)
			continue;
		if (strcmp(name, "satellite_delivery_system") == 0 &&
		    is_type(l, 'S'))
			made = satellite_tuning(d);
		else if (strcmp(name, "cable_delivery_system") == 0 &&
			 is_type(l, 'C'))
			made = cable_tuning(d);
		else if (strcmp(name, "terrestrial_delivery_system") == 0 &&
			 is_type(l, 'T'))
			made = terrestrial_tuning(d);
		else if (strcmp(name, "t2_delivery_system") == 0 &&
			 is_type(l, 'T'))
			add_t2(l, d);
		else if (strcmp(name, "s2_satellite_delivery_system") == 0)
			add_stream_id(tuning, d);
		if (made != NULL) {
			json_decref(tuning);
			tuning = made;
		}
	}
	if (tuning != NULL)
		add(l, tuning);
}

void tuning_list_add(struct tuning_list *l, const json_t *record)
{
	const json_t *stream;
	size_t i;

	if (l->spec->search != SCAN_NETWORK ||
	    json_integer_value(json_object_get(record, "table_id")) !=
		    NIT_ACTUAL ||
	    json_object_get(record, "next") != NULL)
		return;
	json_array_foreach(json_object_get(record, "streams"), i, stream)
		add_stream(l, stream);
}
