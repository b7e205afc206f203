/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/adapter_grants.h"

#include "proto/spec/ci_spec.h"
#include "proto/spec/tuner_spec.h"
#include "worker/adapter/tuner_source.h"

#include <stdio.h>

void adapter_grants(const json_t *adapter, bool net, struct grants *ret)
{
	const char *address =
		json_string_value(json_object_get(adapter, "address"));
	char folder[sizeof DVB_FOLDER + 32];
	struct tuner_spec tuner;
	struct ci_spec slot;

	*ret = (struct grants){ 0 };
	if (ci_spec_parse(adapter, &slot, NULL) >= 0 && slot.used) {
		(void)snprintf(folder, sizeof folder, DVB_FOLDER "/adapter%d",
			       slot.adapter);
		grants_add_devices(ret, folder);
	}
	if (tuner_spec_is(adapter)) {
		/* a tuner with a wrong key gets no device */
		if (tuner_spec_parse(adapter, &tuner, NULL) < 0)
			return;
		(void)snprintf(folder, sizeof folder, DVB_FOLDER "/adapter%d",
			       tuner.adapter);
		/* a tuner that is found by the hardware's path or MAC address
		 * may be any adapter */
		grants_add_devices(ret, tuner.path[0] != '\0' ||
					tuner.mac[0] != '\0'
						? DVB_FOLDER : folder);
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
