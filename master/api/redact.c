/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/redact.h"

#include "master/api/certificate.h"

#include <stddef.h>

static void keep(json_t *into, const json_t *from, const char *key)
{
	json_t *value = json_object_get(from, key);

	if (value != NULL)
		(void)json_object_set(into, key, value);
}

static json_t *reduce_softcams(const json_t *softcams)
{
	json_t *list = json_array();
	const json_t *softcam;
	size_t i;

	json_array_foreach((json_t *)softcams, i, softcam) {
		json_t *reduced = json_object();

		keep(reduced, softcam, "id");
		keep(reduced, softcam, "name");
		(void)json_array_append_new(list, reduced);
	}
	return list;
}

static json_t *reduce_users(const json_t *users)
{
	json_t *copy = json_deep_copy(users);
	const char *login;
	json_t *user;

	json_object_foreach(copy, login, user)
		(void)json_object_del(user, "cipher");
	return copy;
}

json_t *observer_view(const json_t *document)
{
	json_t *view = json_copy((json_t *)document);
	const json_t *softcams = json_object_get(document, "softcam");
	const json_t *users = json_object_get(document, "users");
	const json_t *settings = json_object_get(document, "settings");

	if (settings != NULL)
		(void)json_object_set_new(view, "settings",
					  certificate_hide(settings));
	if (softcams != NULL)
		(void)json_object_set_new(view, "softcam",
					  reduce_softcams(softcams));
	if (users != NULL)
		(void)json_object_set_new(view, "users", reduce_users(users));
	return view;
}
