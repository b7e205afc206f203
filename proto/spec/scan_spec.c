/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/scan_spec.h"

#include "proto/spec/field.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { GRID_MAX_MHZ = 30000, DEFAULT_SYMBOLRATE = 27500 };

static const char *const searches[] = {
	"transponder", "network", "blind", NULL,
};

static const struct field symbolrate = {
	.type = FIELD_UINT, .size = sizeof(unsigned), .min = 1000,
	.max = 67500,
};

#define AT(member) FIELD_AT(struct scan_grid, member)
static const struct field grid_rows[] = {
	{ "from", AT(from), .max = GRID_MAX_MHZ, .unit = "MHz" },
	{ "to", AT(to), .max = GRID_MAX_MHZ, .unit = "MHz" },
	{ "step", AT(step), .max = 100, .unit = "MHz" },
	{ "polarization", AT(polarization) },
	{ "symbolrate", FIELD_ITEMS(struct scan_grid, symbolrates,
				    n_symbolrates), .item = &symbolrate },
};
#undef AT
static const struct field_table grid_fields =
	FIELD_TABLE(struct scan_grid, grid_rows);

static const struct field rows[] = {
	{ "adapter", FIELD_AT(struct scan_spec, adapter),
	  .flags = FIELD_REQUIRED },
	{ "search", FIELD_AT(struct scan_spec, search), .choices = searches },
	{ "grid", FIELD_IN(struct scan_spec, grid, &grid_fields) },
};
static const struct field_table fields = FIELD_TABLE(struct scan_spec, rows);

static bool is_type(const json_t *adapter, const char *letters)
{
	const char *type = json_string_value(json_object_get(adapter, "type"));

	return type != NULL && type[0] != '\0' &&
	       strchr(letters, type[0]) != NULL && strcmp(type, "C/B") != 0;
}

static bool is_satellite(const json_t *adapter)
{
	return is_type(adapter, "S");
}

/* The step in MHz of a blind scan whose grid gives none.  It can be large,
 * because a frontend also finds a carrier whose frequency differs from the
 * tuned one by a part of its bandwidth. */
static double default_step(const struct scan_spec *s)
{
	unsigned least = s->grid.symbolrates[0];

	if (!is_satellite(s->adapter))
		return is_type(s->adapter, "TC") ? 8 : 6;
	for (size_t i = 1; i < s->grid.n_symbolrates; i++)
		if (s->grid.symbolrates[i] < least)
			least = s->grid.symbolrates[i];
	return least <= 4000 ? 1 : least >= 20000 ? 5 : least / 4000.0;
}

static size_t frequencies(const struct scan_grid *g)
{
	return (size_t)((g->to - g->from) / g->step + 1e-6) + 1;
}

static size_t count_symbolrates(const struct scan_grid *g)
{
	return g->n_symbolrates > 0 ? g->n_symbolrates : 1;
}

static int judge_grid(struct scan_spec *s, struct errmsg *error)
{
	struct scan_grid *g = &s->grid;
	double steps;

	if (!(g->from >= 1))
		return errmsg_fail(error, -EINVAL, "grid.from: %g is not a "
				   "frequency in MHz", g->from);
	if (!(g->to >= g->from))
		return errmsg_fail(error, -EINVAL, "grid.to: %g is below "
				   "grid.from", g->to);
	if (g->step != 0 && !(g->step >= 0.1))
		return errmsg_fail(error, -EINVAL, "grid.step: %g is below "
				   "0.1 MHz", g->step);
	if (g->polarization[strspn(g->polarization, "VHLR")] != '\0')
		return errmsg_fail(error, -EINVAL, "grid.polarization: \"%s\" "
				   "has other letters than V, H, L and R",
				   g->polarization);

	/* defaults; without polarizations and symbol rates that the system of
	 * the adapter does not have */
	if (!is_satellite(s->adapter))
		g->polarization[0] = '\0';
	else if (g->polarization[0] == '\0')
		memcpy(g->polarization, "VH", sizeof "VH");
	if (!is_type(s->adapter, "SC"))
		g->n_symbolrates = 0;
	else if (g->n_symbolrates == 0)
		g->symbolrates[g->n_symbolrates++] =
			is_satellite(s->adapter) ? DEFAULT_SYMBOLRATE : 6900;
	if (g->step == 0)
		g->step = default_step(s);

	steps = (double)frequencies(g) *
		(double)MAX(strlen(g->polarization), (size_t)1) *
		(double)count_symbolrates(g);
	if (steps > SCAN_STEPS_MAX)
		return errmsg_fail(error, -EINVAL, "grid: has %.0f steps, at "
				   "most %d are searched", steps,
				   SCAN_STEPS_MAX);
	s->steps = (size_t)steps;
	return 0;
}

int scan_spec_parse(const json_t *scan, struct scan_spec *ret,
		    struct errmsg *error)
{
	struct scan_spec s = { 0 };
	int r = field_read(&fields, scan, &s, error);

	if (r == 0 && s.search == SCAN_BLIND)
		r = judge_grid(&s, error);
	if (r == 0)
		*ret = s;
	return r;
}

json_t *scan_spec_step(const struct scan_spec *s, size_t i)
{
	const struct scan_grid *g = &s->grid;
	size_t n = count_symbolrates(g);
	json_t *tuning = json_object();
	int64_t khz;

	if (g->n_symbolrates > 0)
		(void)json_object_set_new(
			tuning, "symbolrate",
			json_integer((json_int_t)g->symbolrates[i % n]));
	i /= n;
	n = frequencies(g);
	khz = (int64_t)((g->from + (double)(i % n) * g->step) * 1000 + 0.5);
	(void)json_object_set_new(tuning, "frequency",
				  json_real((double)khz / 1000));
	if (g->polarization[0] != '\0')
		(void)json_object_set_new(
			tuning, "polarization",
			json_stringn(g->polarization + i / n, 1));
	return tuning;
}

json_t *scan_spec_tuned(const json_t *adapter, const json_t *tuning)
{
	static const char *const keys[] = {
		"frequency", "polarization", "symbolrate", "modulation", "fec",
		"fec_lp", "rolloff", "pilot", "stream_id", "guardinterval",
		"transmitmode", "hierarchy",
	};
	json_t *copy = json_deep_copy(adapter);

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		(void)json_object_del(copy, keys[i]);
	(void)json_object_update(copy, (json_t *)(uintptr_t)tuning);
	return copy;
}

json_t *scan_spec_first(const struct scan_spec *s)
{
	json_t *tuning, *adapter;

	if (s->steps == 0)
		return json_deep_copy(s->adapter);
	tuning = scan_spec_step(s, 0);
	adapter = scan_spec_tuned(s->adapter, tuning);
	json_decref(tuning);
	return adapter;
}
