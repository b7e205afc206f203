/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/adapter_grants.h"

#include "proto/spec/ci_spec.h"
#include "proto/spec/tuner_spec.h"
#include "worker/adapter/tuner_source.h"

#include <stdio.h>

/* Adds the folder of the tuner's adapter, or of all adapters if the tuner is
 * found by the hardware's path or MAC address.  A tuner with a wrong key gets
 * no device. */
static void add_tuner(struct grants *g, const json_t *adapter)
{
	char folder[sizeof DVB_FOLDER + 32];
	struct tuner_spec spec;

	if (tuner_spec_parse(adapter, &spec, NULL) < 0)
		return;
	(void)snprintf(folder, sizeof folder, DVB_FOLDER "/adapter%d",
		       spec.adapter);
	grants_add_devices(g, spec.path[0] != '\0' || spec.mac[0] != '\0'
				      ? DVB_FOLDER : folder);
}

static void add_slot(struct grants *g, const json_t *adapter)
{
	char folder[sizeof DVB_FOLDER + 32];
	struct ci_spec spec;

	if (ci_spec_parse(adapter, &spec, NULL) < 0 || !spec.used)
		return;
	(void)snprintf(folder, sizeof folder, DVB_FOLDER "/adapter%d",
		       spec.adapter);
	grants_add_devices(g, folder);
}

void adapter_grants(const json_t *adapter, bool net, struct grants *ret)
{
	const char *address =
		json_string_value(json_object_get(adapter, "address"));

	*ret = (struct grants){ 0 };
	add_slot(ret, adapter);
	if (tuner_spec_is(adapter)) {
		add_tuner(ret, adapter);
		return;
	}
	ret->needs |= NEED_UDP;
	if (net)
		ret->needs |= NEED_TCP | NEED_NAMES;
	if (address != NULL)
		grants_add_input(ret, address);
	else
		/* the control connection of a SAT>IP server */
		ret->needs |= NEED_TCP;
}
