/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/lnb_sharing.h"

#include "master/config/entry.h"
#include "proto/spec/tuner_spec.h"

#include <string.h>

static const char *id_of(const json_t *adapter)
{
	const char *id = json_string_value(json_object_get(adapter, "id"));

	return id != NULL ? id : "";
}

/* Reads an enabled satellite tuner that feeds its LNB itself; false: the
 * adapter is none. */
static bool feeds(const json_t *adapter, struct tuner_spec *ret)
{
	return json_is_true(json_object_get(adapter, "enable")) &&
	       tuner_spec_is(adapter) &&
	       tuner_spec_parse(adapter, ret, NULL) == 0 && ret->satellite &&
	       !ret->lnb_sharing;
}

/* Finds the tuner that feeds the LNB of the sharer; NULL: there is none, or
 * several are possible.  self, and an older entry with its id, are no
 * candidates. */
static const json_t *find_feeder(const json_t *adapters, const json_t *self,
				 const struct tuner_spec *sharer,
				 struct tuner_spec *ret)
{
	const json_t *adapter, *found = NULL;
	struct tuner_spec spec;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)adapters, i, adapter) {
		if (strcmp(id_of(adapter), id_of(self)) == 0 ||
		    !feeds(adapter, &spec))
			continue;
		if (sharer->lnb_adapter[0] != '\0'
			    ? strcmp(id_of(adapter), sharer->lnb_adapter) != 0
			    : spec.path[0] != '\0' || spec.mac[0] != '\0' ||
				      sharer->path[0] != '\0' ||
				      sharer->mac[0] != '\0' ||
				      spec.adapter != sharer->adapter)
			continue;
		if (found != NULL)
			return NULL;
		found = adapter;
		*ret = spec;
	}
	return found;
}

/* True: the polarization H or L, which 18 V select. */
static bool is_high_voltage(unsigned polarization)
{
	return polarization == TUNER_H || polarization == TUNER_L;
}

/* True: the feeder (its) selects, or may select, the position of a switch or
 * dish that the sharer (s) names.  The parsed values are compared, because the
 * same position can be written in different ways. */
static bool is_same_position(const struct tuner_spec *s,
			     const struct tuner_spec *its)
{
	bool usals = s->diseqc_mode == DISEQC_USALS;
	bool burst = s->diseqc_mode == DISEQC_BURST;

	/* an empty key, or position 0, names no position of a switch */
	if (s->diseqc[0] == '\0' ||
	    (s->switch_1 < 0 && s->switch_2 < 0 && s->motor < 0 && !usals &&
	     s->n_commands == 0))
		return true;
	/* commands in hex may select any position */
	if ((s->n_commands > 0) != (its->n_commands > 0) &&
	    its->diseqc[0] != '\0')
		return true;
	if (its->diseqc[0] == '\0' ||
	    burst != (its->diseqc_mode == DISEQC_BURST) ||
	    usals != (its->diseqc_mode == DISEQC_USALS))
		return false;
	return (s->switch_1 < 0 || s->switch_1 == its->switch_1) &&
	       (s->switch_2 < 0 || s->switch_2 == its->switch_2) &&
	       (s->motor < 0 || s->motor == its->motor) &&
	       s->orbit == its->orbit &&
	       s->n_commands == its->n_commands &&
	       memcmp(s->commands, its->commands, sizeof s->commands) == 0;
}

/* True: both tuners need the same tone.  A feeder with `tone' in the lower band
 * has an LNB without bands, so its tone is for a switch. */
static bool is_same_band(const struct tuner_spec *s,
			 const struct tuner_spec *its)
{
	return (s->high || s->tone) == (its->high || its->tone) ||
	       (!s->tone && s->high == its->high);
}

static bool judge(const json_t *adapter, const struct tuner_spec *s,
		  const json_t *feeder, const struct tuner_spec *its,
		  struct errmsg *error)
{
	const char *id = id_of(feeder);

	if (!is_same_band(s, its) && s->high == its->high) {
		errmsg_set(error, "tone: is on, but adapter \"%.64s\", which "
				  "feeds the LNB, sends no tone", id);
		return false;
	}
	if (!is_same_band(s, its)) {
		errmsg_set(error, "frequency: %g MHz is in the %s band of the "
				  "LNB, and adapter \"%.64s\", which feeds it, "
				  "selects the other one", s->frequency,
			   s->high ? "upper" : "lower", id);
		return false;
	}
	if (json_object_get(adapter, "polarization") != NULL &&
	    is_high_voltage(s->polarization) !=
		    is_high_voltage(its->polarization)) {
		errmsg_set(error, "polarization: adapter \"%.64s\", which "
			   "feeds the LNB, selects the other one", id);
		return false;
	}
	if (!is_same_position(s, its)) {
		errmsg_set(error, "diseqc: \"%.32s\" is not the position "
			   "\"%.32s\" that adapter \"%.64s\" selects",
			   s->diseqc, its->diseqc, id);
		return false;
	}
	return true;
}

/* Reads a satellite tuner with lnb_sharing; false: the adapter is none. */
static bool read_sharer(const json_t *adapter, struct tuner_spec *ret)
{
	return json_is_true(json_object_get(adapter, "lnb_sharing")) &&
	       tuner_spec_is(adapter) &&
	       tuner_spec_parse(adapter, ret, NULL) == 0 && ret->satellite &&
	       ret->lnb_sharing;
}

bool lnb_sharing_fits(const json_t *adapters, const json_t *adapter,
		      struct errmsg *error)
{
	struct tuner_spec s, its;
	struct errmsg unused;
	const json_t *feeder;

	if (!read_sharer(adapter, &s))
		return true;
	feeder = find_feeder(adapters, adapter, &s, &its);
	return feeder == NULL || its.uni_scr != 0 ||
	       judge(adapter, &s, feeder, &its,
		     error != NULL ? error : &unused);
}

bool lnb_sharing_lacks(const json_t *adapters, const json_t *adapter,
		       struct errmsg *error)
{
	struct tuner_spec s;

	if (!read_sharer(adapter, &s) || s.lnb_adapter[0] == '\0' ||
	    entry_find(adapters, "id", s.lnb_adapter) != NULL)
		return false;
	errmsg_set(error, "lnb_adapter: there is no adapter \"%.64s\"",
		   s.lnb_adapter);
	return true;
}
