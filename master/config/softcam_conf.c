/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/softcam_conf.h"

#include "common/base/hex.h"
#include "proto/ipc/msg_softcam.h"
#include "proto/spec/cam_spec.h"
#include "proto/spec/field.h"

#include <string.h>

enum { CAID_DIGITS = 4, KEY_DIGITS = 28 };

#define AT(member) FIELD_AT(struct softcam_conf, member)

static const struct field rows[] = {
	{ "type", AT(type) },
	{ "host", AT(host) },
	{ "port", AT(port), .min = 1, .max = UINT16_MAX },
	{ "user", AT(user) },
	{ "pass", AT(password), .flags = FIELD_SECRET },
	{ "key", AT(key), .flags = FIELD_SECRET },
	{ "caid", AT(caid_text) },
	{ "timeout", AT(timeout_s), .min = 1, .max = SOFTCAM_TIMEOUT_MAX_S,
	  .initial = SOFTCAM_TIMEOUT_S },
	{ "shift", AT(shift_ms), .max = CAM_SHIFT_MAX_MS },
	{ "skip_ecm", AT(skip_ecm), .max = SOFTCAM_SKIP_MAX },
	{ "disable_emm", AT(disable_emm) },
	{ "split_cam", AT(split_cam) },
	{ "force", AT(force) },
	{ "ignore_cw", AT(ignore_cw) },
};
static const struct field_table fields =
	FIELD_TABLE(struct softcam_conf, rows, .flags = FIELD_LOOSE);

void softcam_conf_read(const json_t *entry, struct softcam_conf *ret,
		       struct errmsg *ret_error)
{
	uint8_t caid[CAID_DIGITS / 2];
	struct errmsg ignored;

	memset(ret, 0, sizeof *ret);
	ret_error->text[0] = '\0';
	if (field_read(&fields, entry, ret, &ignored) < 0)
		/* a wrong optional field gets its default */
		ret_error->text[0] = '\0';
	if (ret->caid_text != NULL && strlen(ret->caid_text) == CAID_DIGITS &&
	    hex_read(ret->caid_text, caid, sizeof caid))
		ret->caid = (unsigned)caid[0] << 8 | caid[1];
	if (ret->key == NULL || strlen(ret->key) != KEY_DIGITS)
		ret->key = "";
	if (ret->type == NULL || strcmp(ret->type, "newcamd") != 0)
		errmsg_set(ret_error, "type: \"%.32s\" is not newcamd",
			   ret->type != NULL ? ret->type : "");
	else if (ret->host == NULL || ret->host[0] == '\0')
		errmsg_set(ret_error, "host: is not a host name or address");
	else if (ret->port == 0)
		errmsg_set(ret_error, "port: is not a port (1 to 65535)");
	else if (ret->user == NULL || ret->password == NULL)
		errmsg_set(ret_error, "user or pass: is missing");
	else if (strlen(ret->user) > MSG_CAM_LOGIN_MAX ||
		 strlen(ret->password) > MSG_CAM_LOGIN_MAX)
		errmsg_set(ret_error, "user or pass: is longer than %d bytes",
			   MSG_CAM_LOGIN_MAX);
}

struct warned {
	field_found_fn *found;
	void *arg;
};

static void on_wrong(const char *path, const char *text, void *arg)
{
	const struct warned *w = arg;
	struct errmsg sentence;

	errmsg_set(&sentence, "%s: the default is used", text);
	w->found(path, sentence.text, w->arg);
}

static bool is_hex(const char *text, size_t len)
{
	return strlen(text) == len &&
	       strspn(text, "0123456789abcdefABCDEF") == len;
}

void softcam_conf_warn(const json_t *entry, field_found_fn *found, void *arg)
{
	struct warned w = { found, arg };
	struct softcam_conf conf;
	struct errmsg error, sentence;
	const char *key, *text;

	softcam_conf_read(entry, &conf, &error);
	text = error.text + strcspn(error.text, ":");
	if (error.text[0] != '\0') {
		errmsg_set(&sentence, "%s: the softcam is not used",
			   *text == ':' ? text + 2 : error.text);
		error.text[text - error.text] = '\0';
		found(error.text, sentence.text, arg);
		return;
	}
	(void)field_check(&fields, entry, &conf, on_wrong, &w);
	key = json_string_value(json_object_get(entry, "key"));
	if (key != NULL && key[0] != '\0' && !is_hex(key, KEY_DIGITS))
		found("key", "is not 28 hexadecimal digits: the default is "
			     "used", arg);
	if (conf.caid_text != NULL && conf.caid_text[0] != '\0' &&
	    !is_hex(conf.caid_text, CAID_DIGITS))
		found("caid", "is not 4 hexadecimal digits: that of the "
			      "server is used", arg);
}
