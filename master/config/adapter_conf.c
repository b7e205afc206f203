/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/adapter_conf.h"

#include "common/base/alloc.h"
#include "master/config/lnb_sharing.h"
#include "master/config/stream_links.h"
#include "proto/spec/ci_spec.h"
#include "proto/spec/satip_spec.h"
#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool adapter_conf_can_run(const json_t *adapter, struct errmsg *error)
{
	const json_t *address = json_object_get(adapter, "address");
	struct tuner_spec tuner;
	struct satip_spec satip;
	struct t2mi_spec t2mi;
	struct ci_spec ci;
	struct input_spec *spec;
	struct errmsg unused, wrong;
	int r;

	error = error != NULL ? error : &unused;
	if (t2mi_spec_parse(adapter, &t2mi, error) < 0 ||
	    ci_spec_parse(adapter, &ci, error) < 0)
		return false;
	if (json_object_get(adapter, "server") != NULL && address != NULL) {
		errmsg_set(error, "address: is not possible beside server");
		return false;
	}
	if (json_object_get(adapter, "server") != NULL)
		return satip_spec_parse(adapter, &satip, error) == 0;
	if (tuner_spec_is(adapter))
		return tuner_spec_parse(adapter, &tuner, error) == 0;
	if (!json_is_string(address)) {
		errmsg_set(error, "address: is not a string");
		return false;
	}
	spec = xcalloc(1, sizeof *spec);
	r = input_spec_parse(json_string_value(address), spec, NULL, NULL,
			     &wrong);
	if (r == 0 && spec->kind == INPUT_DVB)
		r = errmsg_fail(&wrong, -EINVAL,
				"dvb:// is only possible as an input of a "
				"stream");
	if (r == 0 && spec->kind == INPUT_STREAM &&
	    strchr(spec->stream, '/') != NULL)
		r = errmsg_fail(&wrong, -EINVAL, "stream: \"%.64s\" is not "
				"an id: it has only A-Z a-z 0-9 _ . -",
				spec->stream);
	if (r < 0)
		errmsg_set(error, "address: %s", wrong.text);
	free(spec);
	return r == 0;
}

int adapter_conf_judge(const json_t *list, const json_t *adapter,
		       struct errmsg *error)
{
	struct tuner_spec tuner;
	struct t2mi_spec t2mi;
	struct ci_spec ci;

	if (adapter_conf_can_run(adapter, error))
		return lnb_sharing_fits(list, adapter, error) ? 0 : -EINVAL;
	return tuner_spec_is(adapter) &&
	       t2mi_spec_parse(adapter, &t2mi, NULL) == 0 &&
	       ci_spec_parse(adapter, &ci, NULL) == 0 &&
	       tuner_spec_parse(adapter, &tuner, NULL) == -ENODATA
		       ? -ENODATA : -EINVAL;
}

json_t *adapter_conf_keys(const json_t *adapter)
{
	json_t *keys;

	if (!json_is_true(json_object_get(adapter, "enable")) ||
	    !adapter_conf_can_run(adapter, NULL))
		return NULL;
	keys = json_object_get(adapter, "server") != NULL
		       ? satip_spec_keys(adapter)
	       : tuner_spec_is(adapter)
		       ? tuner_spec_keys(adapter)
		       : json_pack("{s:O}", "address",
				   json_object_get(adapter, "address"));
	t2mi_spec_copy(adapter, keys);
	ci_spec_copy(adapter, keys);
	return keys;
}

json_t *adapter_conf_wanted(const json_t *list, const json_t *adapter)
{
	return adapter != NULL && lnb_sharing_fits(list, adapter, NULL)
		       ? adapter_conf_keys(adapter) : NULL;
}

void adapter_link_read(const char *address, char ret[IO_ID_MAX + 1])
{
	const size_t skip = sizeof IO_ADAPTER - 1;
	size_t len;

	ret[0] = '\0';
	if (address == NULL || strncasecmp(address, IO_ADAPTER, skip) != 0)
		return;
	len = strcspn(address + skip, "#");
	if (len > IO_ID_MAX)
		return;
	memcpy(ret, address + skip, len);
	ret[len] = '\0';
}

void adapter_conf_link(const json_t *entry, char ret[IO_FEED_MAX + 1])
{
	stream_link_read(json_string_value(json_object_get(entry, "address")),
			 ret);
}

json_t *adapter_conf_rename_link(const json_t *entry, const char *from,
				 const char *to)
{
	const char *address =
		json_string_value(json_object_get(entry, "address"));
	char link[IO_FEED_MAX + 1];
	json_t *copy;

	stream_link_read(address, link);
	if (link[0] == '\0' || strcmp(link, from) != 0)
		return NULL;
	/* a copy, because entries are never changed in place */
	copy = json_copy((json_t *)(uintptr_t)entry);
	(void)json_object_set_new(copy, "address",
				  json_sprintf("stream://%s%s", to, address +
					       strcspn(address, "#")));
	return copy;
}

bool adapter_conf_is_net(const json_t *entry)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	const char *address =
		json_string_value(json_object_get(entry, "address"));
	bool net = address != NULL &&
		   input_spec_parse(address, spec, NULL, NULL, NULL) == 0 &&
		   input_kind_is_net(spec->kind);

	free(spec);
	return net || satip_spec_has_name(entry);
}

bool adapter_conf_is_same_source(const json_t *before, const json_t *entry)
{
	struct tuner_spec from, to;

	if (!ci_spec_is_same(before, entry))
		return false;
	if (tuner_spec_is(before) && tuner_spec_is(entry) &&
	    tuner_spec_parse(before, &from, NULL) == 0 &&
	    tuner_spec_parse(entry, &to, NULL) == 0 &&
	    from.adapter == to.adapter && from.device == to.device &&
	    from.numbered == to.numbered && strcmp(from.mac, to.mac) == 0 &&
	    strcmp(from.path, to.path) == 0)
		return true;
	return satip_spec_is_same(before, entry);
}

bool adapter_conf_has_slots(const json_t *keys)
{
	struct ci_spec spec;

	return tuner_spec_is(keys) ||
	       (ci_spec_parse(keys, &spec, NULL) == 0 && spec.used);
}
