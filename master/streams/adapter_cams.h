/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modules (CAM) of an adapter: what its worker knows of the programs, and
 * what it reports of the slots. */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

/* All zero at first. */
struct adapter_cams {
	bool known;    /* the worker has received cam */
	struct msg_adapter_cam cam;
	json_t *slots; /* a list; NULL: none is known */
};

/* True when the worker has to receive these programs. */
bool adapter_cams_set(struct adapter_cams *, const struct msg_adapter_cam *);

/* The slot as the API shows it, borrowed. */
const json_t *adapter_cams_take(struct adapter_cams *,
				const struct msg_adapter_slot *);

/* Another worker. */
void adapter_cams_forget(struct adapter_cams *);
