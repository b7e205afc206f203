/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CAMs of an adapter: the programs that its worker has received for them,
 * and the state of the slots that the worker reports. */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

/* Zeroed memory is ready. */
struct adapter_cams {
	bool known;    /* cam was sent to the worker */
	struct msg_adapter_cam cam;
	/* the slots in the form of the API; NULL: the worker reported none */
	json_t *slots;
};

/* Stores the programs that the CAMs shall descramble.  True: they differ from
 * those that the worker has, so the caller must send them. */
bool adapter_cams_set(struct adapter_cams *, const struct msg_adapter_cam *);

/* Stores the state of a slot that the worker has reported; returns it in the
 * form of the API, borrowed. */
const json_t *adapter_cams_take(struct adapter_cams *,
				const struct msg_adapter_slot *);

/* The worker was replaced: forgets its slots and the programs that it had. */
void adapter_cams_forget(struct adapter_cams *);
