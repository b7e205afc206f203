/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/cam_spec.h"

#include "proto/spec/field.h"

#include <errno.h>
#include <string.h>

bool cam_list_has(const struct cam_list *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->ids[i], id) == 0)
			return true;
	return false;
}

static int read_list(const struct field *f, const char *key, const char *text,
		     void *s, struct errmsg *error)
{
	struct cam_list *l = (struct cam_list *)((char *)s + f->offset);
	struct cam_list list = { .module = text[0] == '\0' };

	(void)key;
	while (*text != '\0') {
		size_t len = strcspn(text, ",");
		char *id = list.ids[list.n];

		if (list.n == CAM_LIST_MAX)
			return errmsg_fail(error, -EINVAL,
					   "names more than %d softcams",
					   CAM_LIST_MAX);
		if (len == 0 || len > CAM_ID_MAX)
			return errmsg_fail(error, -EINVAL, "is not a list of "
					   "softcam ids such as c1,c2");
		memcpy(id, text, len);
		id[len] = '\0';
		if (!cam_list_has(&list, id))
			list.n++;
		text += len + (text[len] == ',');
	}
	*l = list;
	return 0;
}

const struct field_hook cam_hook = { .schema = "string", .read = read_list };
