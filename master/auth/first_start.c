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
	/* a failure is logged by the save, which is repeated */
	(void)result, (void)error, (void)arg;
}

static json_t *control_user(const char *hash)
{
	return json_pack("{s:b, s:i, s:s, s:I}", "enable", 1, "type",
			 (int)USER_CONTROL, "cipher", hash, "created",
			 (json_int_t)time(NULL));
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
		log_error("auth", "cannot create the first password: %s",
			  strerror(-err));
		return false;
	}
	/* only an empty configuration is new; one without users may be of
	 * another product */
	if (json_object_size(config_document(config)) == 0 &&
	    (path == NULL || access(path, F_OK) < 0))
		config_set_section(config, "settings",
				   json_pack("{s:b}", "observer_redact", 1));
	config_put_user(config, "admin", control_user(hash));
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

static int add_control_user(json_t *document, const char *login,
			    const char *hash, struct errmsg *error)
{
	json_t *users = json_object_get(document, "users");

	if (!user_none(document) && !user_locked_out(document))
		return errmsg_fail(error, -ENOENT, "there is no user "
				   "\"%.64s\"", login);
	if (!user_login_is_valid(login))
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is not a login "
				   "of 1 to %d bytes", login,
				   (int)USER_LOGIN_MAX);
	if (!json_is_object(users)) {
		users = json_object();
		(void)json_object_set_new(document, "users", users);
	}
	(void)fprintf(stderr, "sluice: note: \"%.64s\" is added as a control "
		      "user, because none can log in\n", login);
	(void)json_object_set_new(users, login, control_user(hash));
	return 0;
}

/* Sets the hash of a login.  An existing user who may not log in is refused.
 * An unknown login becomes a control user, if no control user can log in.  0,
 * or -errno with error. */
static int put_hash(json_t *document, const char *login, const char *hash,
		    struct errmsg *error)
{
	struct user u;

	if (!user_find(document, login, &u))
		return add_control_user(document, login, hash, error);
	if (!user_may_enter(&u))
		return errmsg_fail(error, -EINVAL, "user \"%.64s\" cannot log "
				   "in: %s", login,
				   u.enabled ? "its type is not 1 or 2"
					     : "it is disabled");
	(void)json_object_set_new(json_object_get(json_object_get(document,
								  "users"),
						  login),
				  "cipher", json_string(hash));
	if (user_locked_out(document))
		(void)fprintf(stderr, "sluice: note: \"%.64s\" is an observer, "
			      "and no control user can log in; the command "
			      "adds one for a login that does not exist\n",
			      login);
	return 0;
}

/* Puts the hash into the document and saves it to the file.  Returns the exit
 * code; a failure is printed. */
static int store(const char *path, json_t *document, const char *login,
		 const char *hash)
{
	struct errmsg error = { 0 };
	size_t len;
	char *text;
	int err;

	if (put_hash(document, login, hash, &error) < 0) {
		errmsg_prefix(&error, "%s: ", path);
		return fail(EX_DATAERR, error.text);
	}
	text = document_format(document, &len);
	err = replace_file(path, text, len, &error);
	free(text);
	return err < 0 ? fail(EX_IOERR, error.text) : EX_OK;
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
