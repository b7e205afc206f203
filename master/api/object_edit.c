/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/object_edit.h"

#include "master/api/edit.h"

bool object_edit_read(struct object_edit *e, const char *kind,
		      const json_t *request, struct reply *reply)
{
	*e = (struct object_edit){
		.kind = kind,
		.wanted = edit_get(request, kind),
		.next = -1,
	};
	if (e->wanted == NULL)
		reply_error(reply, 400, "%s: is missing", kind);
	else if (!json_is_object(e->wanted))
		reply_error(reply, 400, "%s: is not an object", kind);
	if (reply->status != 0 || !edit_id(request, &e->id, reply) ||
	    !edit_gid(request, &e->gid, reply))
		return false;
	e->remove = edit_is_removal(e->wanted);
	return true;
}

bool object_edit_can_remove(const struct object_edit *e, struct reply *reply)
{
	if (e->id == NULL)
		reply_error(reply, 400, "id: is missing");
	else if (e->old_id == NULL)
		reply_error(reply, 404, "id: there is no %s \"%.64s\"",
			    e->kind, e->id);
	return reply->status == 0;
}
