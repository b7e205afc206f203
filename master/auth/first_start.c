/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/auth/first_start.h"

#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/password.h"
#include "common/account/secret.h"
#include "common/account/user.h"
#include "master/config/config.h"
#include "common/document/document.h"
#include "common/document/replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

static void on_saved(int result, const struct errmsg *error, void *arg)
{
	/* a failure is logged, and the save repeated */
	(void)result, (void)error, (void)arg;
}

bool first_start(struct config *config)
{
	char password[PASSWORD_TEXT], hash[PASSWORD_HASH_MAX];
	const char *path = config_path(config);
	int err;

	if (!user_none(config_document(config)))
		return false;
	secret_new_password(password);
	err = password_hash(password, hash);
	if (err < 0) {
		log_error("auth", "no first password: %s", strerror(-err));
		return false;
	}
	/* a configuration of this program, not of another product */
	if (json_object_size(config_document(config)) == 0 &&
	    (path == NULL || access(path, F_OK) < 0))
		config_set_section(config, "settings",
				   json_pack("{s:b}", "observer_redact", 1));
	config_put_user(config, "admin",
			json_pack("{s:b, s:i, s:s, s:I}", "enable", 1, "type",
				  (int)USER_CONTROL, "cipher", hash, "created",
				  (json_int_t)time(NULL)));
	if (path != NULL)
		config_save_now(config, on_saved, NULL);
	(void)fprintf(stderr, "sluice: the first start: login \"admin\", "
		      "password \"%s\"\n"
		      "sluice: it is shown this once; change it\n", password);
	explicit_bzero(password, sizeof password);
	return true;
}

static int fail(int code, const char *text)
{
	(void)fprintf(stderr, "sluice: %s\n", text);
	return code;
}

/* Puts the hash into the document of the file and saves it. */
static int store(const char *path, json_t *document, const char *login,
		 const char *hash)
{
	json_t *entry = json_object_get(json_object_get(document, "users"),
					login);
	struct errmsg error = { 0 };
	struct user u;
	size_t len;
	char *text;
	int err;

	if (!user_find(document, login, &u)) {
		errmsg_set(&error, "%s: there is no user \"%.64s\"", path,
			   login);
		return fail(EX_DATAERR, error.text);
	}
	(void)json_object_set_new(entry, "cipher", json_string(hash));
	text = document_format(document, &len);
	err = replace_file(path, text, len, &error);
	free(text);
	if (err < 0)
		return fail(EX_IOERR, error.text);
	if (!user_may_enter(&u))
		(void)fail(0, "note: the password is set, but the user cannot "
			   "log in: it is disabled, or a viewer (type 3)");
	return EX_OK;
}

int reset_password(const char *config_path, const char *login)
{
	char password[PASSWORD_TEXT], hash[PASSWORD_HASH_MAX];
	struct errmsg error = { 0 };
	json_t *document = NULL;
	int code;

	if (document_load(config_path, &document, &error) < 0) {
		errmsg_prefix(&error, "%s: ", config_path);
		return fail(EX_CONFIG, error.text);
	}
	secret_new_password(password);
	if (password_hash(password, hash) < 0)
		code = fail(EX_SOFTWARE, "the password cannot be hashed");
	else
		code = store(config_path, document, login, hash);
	if (code == EX_OK)
		(void)printf("%s\n", password);
	explicit_bzero(password, sizeof password);
	json_decref(document);
	return code;
}
