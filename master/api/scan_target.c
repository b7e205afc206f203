/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scan_target.h"

#include "master/api/command.h"
#include "master/api/edit.h"
#include "master/api/input_edit.h"
#include "master/config/adapter_conf.h"
#include "master/config/lnb_sharing.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/reconciler.h"
#include "proto/spec/satip_spec.h"
#include "proto/spec/scan_spec.h"
#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAMES_MAX = 5 };

static json_t *keys_of(const json_t *adapter)
{
	json_t *keys = json_object_get(adapter, "server") != NULL
			       ? satip_spec_keys(adapter)
		       : tuner_spec_is(adapter)
			       ? tuner_spec_keys(adapter)
			       : json_pack("{s:O}", "address",
					   json_object_get(adapter,
							   "address"));

	t2mi_spec_copy(adapter, keys);
	return keys;
}

/* Judges whether this kind of adapter supports the requested search; false with
 * error. */
static bool judge_search(const struct scan_spec *spec, struct errmsg *error)
{
	struct t2mi_spec t2mi;

	if (spec->search == SCAN_TRANSPONDER)
		return true;
	if (json_object_get(spec->adapter, "address") != NULL) {
		errmsg_set(error, "scan.search: is only possible with "
				  "\"transponder\" for an address, which has "
				  "one multiplex");
		return false;
	}
	if (t2mi_spec_parse(spec->adapter, &t2mi, NULL) == 0 && t2mi.t2mi) {
		errmsg_set(error, "scan.search: with t2mi only \"transponder\" "
			   "is possible: the scan reads the multiplex of a "
			   "PLP");
		return false;
	}
	return true;
}

/* Judges a search by an adapter that shares an LNB: a search would have to
 * select all bands and polarizations, which another tuner selects.  False with
 * error. */
static bool judge_sharing(const struct scan_spec *spec, const json_t *first,
			  struct errmsg *error)
{
	struct tuner_spec tuner;

	if (spec->search == SCAN_TRANSPONDER || !tuner_spec_is(first) ||
	    tuner_spec_parse(first, &tuner, NULL) < 0 || !tuner.satellite ||
	    !tuner.lnb_sharing)
		return true;
	errmsg_set(error, "scan.search: with lnb_sharing only \"transponder\" "
		   "is possible: another tuner selects band and polarization");
	return false;
}

json_t *scan_target_read(const json_t *scan, struct errmsg *error)
{
	struct scan_spec spec;
	struct errmsg wrong;
	json_t *first, *target;
	bool can;

	if (scan_spec_parse(scan, &spec, &wrong) < 0) {
		errmsg_set(error, "scan.%s", wrong.text);
		return NULL;
	}
	if (!judge_search(&spec, error))
		return NULL;
	first = scan_spec_first(&spec);
	can = adapter_conf_can_run(first, &wrong);
	if (!can)
		errmsg_set(error, "scan.adapter.%s", wrong.text);
	else
		can = judge_sharing(&spec, first, error);
	json_decref(first);
	if (!can)
		return NULL;
	target = json_pack("{s:o}", "adapter", keys_of(spec.adapter));
	for (size_t i = 0; i < 2; i++) {
		const char *key = i == 0 ? "search" : "grid";
		json_t *value = json_object_get(scan, key);

		if (value != NULL)
			(void)json_object_set(target, key, value);
	}
	return target;
}

/* --- whose frontend it is --- */

static bool read_tuner(const json_t *adapter, struct tuner_spec *ret)
{
	return tuner_spec_is(adapter) &&
	       tuner_spec_parse(adapter, ret, NULL) == 0;
}

static bool read_target(const json_t *target, struct tuner_spec *ret)
{
	struct scan_spec spec;
	json_t *first;
	bool tuner;

	if (scan_spec_parse(target, &spec, NULL) < 0)
		return false;
	first = scan_spec_first(&spec);
	tuner = read_tuner(first, ret);
	json_decref(first);
	return tuner;
}

/* True: spec names the adapter by its path or hardware address, which do not
 * change if the adapter gets another number. */
static bool is_bound(const struct tuner_spec *spec)
{
	return spec->path[0] != '\0' || spec->mac[0] != '\0';
}

/* Reads the hardware address of /dev/dvb/adapterN, N: number; false: it has
 * none. */
static bool read_mac(int number, char ret[TUNER_MAC_MAX + 1])
{
	char name[64];
	FILE *file;
	bool read;

	(void)snprintf(name, sizeof name, TUNER_INTERFACE "/address", number);
	file = fopen(name, "re");
	if (file == NULL)
		return false;
	read = fgets(ret, TUNER_MAC_MAX + 1, file) != NULL;
	(void)fclose(file);
	return read;
}

/* True: the adapter with this number is at the path of spec; for a spec without
 * a path, it has the hardware address of spec. */
static bool is_at(int number, const struct tuner_spec *spec)
{
	char name[64], target[PATH_MAX], mac[TUNER_MAC_MAX + 1];
	ssize_t n;

	if (spec->path[0] == '\0')
		return read_mac(number, mac) && strcasecmp(mac, spec->mac) == 0;
	(void)snprintf(name, sizeof name, TUNER_LINK, number, spec->device);
	n = readlink(name, target, sizeof target - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return tuner_link_is_at(target, spec->path);
}

/* Returns the first adapter number below end for which is_at() is true; -1:
 * none. */
static int find_below(int end, const struct tuner_spec *spec)
{
	for (int i = 0; i < end; i++)
		if (is_at(i, spec))
			return i;
	return -1;
}

/* True: the number in spec identifies the adapter, because no hardware address
 * of the adapter with this number can be read. */
static bool decides(const struct tuner_spec *spec)
{
	char mac[TUNER_MAC_MAX + 1];

	return spec->path[0] == '\0' && spec->numbered &&
	       !read_mac(spec->adapter, mac);
}

/* Returns the number of the adapter that spec names; -1: no adapter fits. */
static int find_number(const struct tuner_spec *spec)
{
	int number = is_bound(spec) ? find_below(TUNER_ADAPTERS_MAX, spec)
				    : spec->adapter;

	return number < 0 && decides(spec) ? spec->adapter : number;
}

/* True: the adapter that spec names has this number.  Usually reads only the
 * files of this adapter. */
static bool has_number(const struct tuner_spec *spec, int number)
{
	if (number < 0)
		return false;
	if (!is_bound(spec) || (number == spec->adapter && decides(spec)))
		return find_number(spec) == number;
	/* the tuners of a card share a path; the path names the first tuner */
	return is_at(number, spec) && find_below(number, spec) < 0;
}

/* True: a and b name the same frontend.  number: the adapter number of b. */
static bool is_same_device(const struct tuner_spec *a,
			   const struct tuner_spec *b, int number)
{
	if (a->device != b->device)
		return false;
	return (a->path[0] != '\0' && strcmp(a->path, b->path) == 0) ||
	       (a->path[0] == '\0' && b->path[0] == '\0' &&
		a->mac[0] != '\0' && strcasecmp(a->mac, b->mac) == 0) ||
	       has_number(a, number);
}

/* True: the adapter has opened the frontend that the scan names by number.  For
 * an adapter that names its frontend by path or hardware address. */
static bool has_opened(const struct api *api, const json_t *adapter,
		       const struct tuner_spec *its,
		       const struct tuner_spec *wanted)
{
	struct adapter_info info;

	return !is_bound(wanted) && its->device == wanted->device &&
	       adapter_procs_get(reconciler_adapters(api->cfg.reconciler),
				 edit_text(adapter, "id"), &info) &&
	       info.status.tuner.taken &&
	       (int)info.status.tuner.adapter == wanted->adapter;
}

static bool reads(const json_t *stream, const char *id)
{
	const json_t *input;
	size_t i;

	if (!json_is_true(json_object_get(stream, "enable")))
		return false;
	json_array_foreach(json_object_get(stream, "input"), i, input)
		if (input_edit_is_adapter(json_string_value(input), id))
			return true;
	return false;
}

/* Writes ", which feeds p1, p2 and 3 more streams" for the streams that read
 * the adapter; "": none. */
static void name_streams(const struct api *api, const char *id, char *ret,
			 size_t size)
{
	const json_t *stream;
	size_t i, n = 0, len = 0;

	ret[0] = '\0';
	json_array_foreach(config_section(api->cfg.config, STREAMS), i,
			   stream) {
		if (!reads(stream, id) || n++ >= NAMES_MAX || len >= size)
			continue;
		len += (size_t)snprintf(ret + len, size - len, "%s%.32s",
					n == 1 ? ", which feeds " : ", ",
					edit_text(stream, "id"));
	}
	if (n > NAMES_MAX && len < size)
		(void)snprintf(ret + len, size - len, " and %zu more streams",
			       n - NAMES_MAX);
}

bool scan_target_is_taken(const struct api *api, const json_t *target,
			  struct errmsg *error)
{
	struct tuner_spec wanted, its;
	const json_t *adapter;
	char streams[256];
	int number;
	size_t i;

	if (!read_target(target, &wanted))
		return false;
	number = find_number(&wanted);
	json_array_foreach(config_section(api->cfg.config, ADAPTERS), i,
			   adapter) {
		const char *id = edit_text(adapter, "id");

		if (id == NULL ||
		    !json_is_true(json_object_get(adapter, "enable")) ||
		    !read_tuner(adapter, &its) ||
		    !(is_same_device(&its, &wanted, number) ||
		      has_opened(api, adapter, &its, &wanted)))
			continue;
		name_streams(api, id, streams, sizeof streams);
		errmsg_set(error, "frontend%d of the scan belongs to the "
			   "enabled adapter \"%.64s\"%s", wanted.device, id,
			   streams);
		return true;
	}
	return false;
}

bool scan_target_fits(const struct api *api, const json_t *target,
		      struct errmsg *error)
{
	struct scan_spec spec;
	json_t *first;
	bool fits;

	if (scan_spec_parse(target, &spec, NULL) < 0)
		return true;
	first = scan_spec_first(&spec);
	fits = lnb_sharing_fits(config_section(api->cfg.config, ADAPTERS),
				first, error);
	json_decref(first);
	return fits;
}

bool scan_target_is_same(const json_t *a, const json_t *b)
{
	struct tuner_spec x, y;

	return read_target(a, &x) && read_target(b, &y) &&
	       is_same_device(&x, &y, find_number(&y));
}
