/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/keyring.h"

#include "common/base/alloc.h"
#include "ctl/file.h"
#include "ctl/ctl_settings.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The content of the file:
 * { "http://127.0.0.1:8000": { "last": "admin",
 *                              "sessions": { "admin": "1f2e..." } } }
 */
enum { FILE_MAX = 1024 * 1024 };

static char *file_path(struct errmsg *error)
{
	char *folder = settings_folder("XDG_STATE_HOME", ".local/state");
	char *path;

	if (folder == NULL) {
		errmsg_set(error, "no folder for the login: neither "
			   "XDG_STATE_HOME nor HOME is set");
		return NULL;
	}
	path = xasprintf("%s/sessions.json", folder);
	free(folder);
	return path;
}

/* Loads the file; an empty object if it does not exist. */
static int load(const char *path, json_t **ret, struct errmsg *error)
{
	struct stat stat;
	char *text;
	int r = file_read(path, FILE_MAX, &text, &stat, error);

	if (r == -ENOENT) {
		if (error != NULL)
			error->text[0] = '\0'; /* nobody has logged in yet */
		*ret = json_object();
		return 0;
	}
	if (r < 0)
		return r;
	if (stat.st_uid != geteuid() || (stat.st_mode & 077) != 0) {
		free(text);
		return errmsg_fail(error, -EPERM, "%s: other users may "
				   "read it: chmod 600 it, or remove it", path);
	}
	*ret = json_loads(text, 0, NULL);
	free(text);
	if (!json_is_object(*ret)) {
		json_decref(*ret);
		return errmsg_fail(error, -EINVAL, "%s: is damaged: remove it "
				   "and log in again", path);
	}
	return 0;
}

int keyring_find(const char *url, const char *login, char **ret,
		 char **ret_login, struct errmsg *error)
{
	char *path = file_path(NULL);
	const json_t *service;
	json_t *all;
	int r;

	*ret = NULL;
	if (ret_login != NULL)
		*ret_login = NULL;
	if (path == NULL)
		return 0;
	r = load(path, &all, error);
	free(path);
	if (r < 0)
		return r;
	service = json_object_get(all, url);
	if (login == NULL)
		login = json_string_value(json_object_get(service, "last"));
	if (login != NULL)
		*ret = xstrdup(json_string_value(json_object_get(
			json_object_get(service, "sessions"), login)));
	if (*ret != NULL && ret_login != NULL)
		*ret_login = xstrdup(login);
	json_decref(all);
	return 0;
}

/* Returns the object at this key, borrowed; creates it if it is absent. */
static json_t *member(json_t *object, const char *key)
{
	json_t *found = json_object_get(object, key);

	if (!json_is_object(found)) {
		found = json_object();
		(void)json_object_set_new(object, key, found);
	}
	return found;
}

int keyring_put(const char *url, const char *login, const char *session,
		struct errmsg *error)
{
	char *path = file_path(error), *text;
	json_t *all, *service, *sessions;
	int r;

	if (path == NULL)
		return -ENOENT;
	r = load(path, &all, error);
	if (r == 0) {
		service = member(all, url);
		sessions = member(service, "sessions");
		if (session != NULL) {
			(void)json_object_set_new(sessions, login,
						  json_string(session));
			(void)json_object_set_new(service, "last",
						  json_string(login));
		} else {
			(void)json_object_del(sessions, login);
		}
		if (json_object_size(sessions) == 0)
			(void)json_object_del(all, url);
		text = json_dumps(all, JSON_INDENT(2));
		if (text == NULL)
			abort();
		r = file_write_private(path, text, error);
		free(text);
		json_decref(all);
	}
	free(path);
	return r;
}
