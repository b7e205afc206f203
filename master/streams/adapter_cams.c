/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/adapter_cams.h"

#include "proto/ipc/msg_tables.h"

#include <string.h>

bool adapter_cams_set(struct adapter_cams *c, const struct msg_adapter_cam *cam)
{
	if (c->known && cam->n == c->cam.n &&
	    memcmp(cam->programs, c->cam.programs,
		   cam->n * sizeof *cam->programs) == 0)
		return false;
	c->cam = *cam;
	c->known = true;
	return true;
}

static json_t *slot_format(const struct msg_adapter_slot *s)
{
	json_t *slot = field_format(&adapter_slot_fields, s, 0);

	if (s->menu.kind[0] == '\0')
		(void)json_object_del(slot, "menu");
	if (s->error[0] == '\0')
		(void)json_object_del(slot, "error");
	return slot;
}

const json_t *adapter_cams_take(struct adapter_cams *c,
				const struct msg_adapter_slot *s)
{
	json_t *slot = slot_format(s), *old;
	size_t i;

	if (c->slots == NULL)
		c->slots = json_array();
	json_array_foreach(c->slots, i, old)
		if (json_integer_value(json_object_get(old, "slot")) ==
		    (json_int_t)s->slot)
			break;
	/* a slot number is below MSG_CAM_SLOTS */
	if (i < json_array_size(c->slots))
		(void)json_array_set_new(c->slots, i, slot);
	else
		(void)json_array_append_new(c->slots, slot);
	return slot;
}

void adapter_cams_forget(struct adapter_cams *c)
{
	json_decref(c->slots);
	*c = (struct adapter_cams){ 0 };
}
