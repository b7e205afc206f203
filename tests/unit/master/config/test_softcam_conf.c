/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/softcam_conf.h"

#include "proto/ipc/msg_softcam.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define ENTRY "'type':'newcamd','host':'h','port':15050,'user':'u','pass':'p'"

/* The text with " for ', in braces. */
static json_t *entry_of(const char *text)
{
	char copy[2048];
	json_t *json;

	cr_assert_lt(snprintf(copy, sizeof copy, "{%s}", text),
		     (int)sizeof copy);
	for (char *p = copy; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	json = json_loads(copy, 0, NULL);
	cr_assert_not_null(json, "%s", copy);
	return json;
}

static void assert_error(const char *text, const char *want)
{
	json_t *entry = entry_of(text);
	struct softcam_conf conf;
	struct errmsg error;

	softcam_conf_read(entry, &conf, &error);
	cr_assert_str_eq(error.text, want, "%s", text);
	json_decref(entry);
}

Test(softcam_conf, has_defaults)
{
	json_t *entry = entry_of(ENTRY);
	struct softcam_conf conf;
	struct errmsg error;

	softcam_conf_read(entry, &conf, &error);
	cr_assert_str_eq(error.text, "");
	cr_assert_eq(conf.port, 15050);
	cr_assert_str_eq(conf.key, "");
	cr_assert_eq(conf.caid, 0);
	cr_assert_eq(conf.timeout_s, 8);
	cr_assert_eq(conf.shift_ms, 0);
	cr_assert_eq(conf.skip_ecm, 0);
	cr_assert_not(conf.disable_emm || conf.split_cam || conf.force ||
		      conf.ignore_cw);
	json_decref(entry);
}

Test(softcam_conf, reads_all_fields)
{
	json_t *entry = entry_of(ENTRY ",'key':'0102030405060708091011121315',"
				 "'caid':'0b0F','timeout':3,'shift':250,"
				 "'skip_ecm':4,'disable_emm':true,"
				 "'split_cam':true,'force':true,"
				 "'ignore_cw':true,'other':[1]");
	struct softcam_conf conf;
	struct errmsg error;

	softcam_conf_read(entry, &conf, &error);
	cr_assert_str_eq(error.text, "");
	cr_assert_str_eq(conf.key, "0102030405060708091011121315");
	cr_assert_eq(conf.caid, 0x0b0f);
	cr_assert_eq(conf.timeout_s, 3);
	cr_assert_eq(conf.shift_ms, 250);
	cr_assert_eq(conf.skip_ecm, 4);
	cr_assert(conf.disable_emm && conf.split_cam && conf.force &&
		  conf.ignore_cw);
	json_decref(entry);
}

Test(softcam_conf, a_wrong_optional_value_is_as_if_it_were_absent)
{
	static const char *const wrong[] = {
		"'key':'01020304050607080910111213'", "'key':7", "'key':null",
		"'caid':'0b0'", "'caid':'0b0g'", "'caid':2816", "'caid':''",
		"'timeout':0", "'timeout':-1", "'timeout':61",
		"'timeout':'soon'", "'timeout':{}", "'shift':-1",
		"'shift':'x'", "'skip_ecm':-1", "'skip_ecm':1001",
		"'disable_emm':'maybe'", "'split_cam':[]", "'force':null",
		"'ignore_cw':{}",
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		char text[512];
		json_t *entry;
		struct softcam_conf conf;
		struct errmsg error;

		(void)snprintf(text, sizeof text, "%s,%s", ENTRY, wrong[i]);
		entry = entry_of(text);
		softcam_conf_read(entry, &conf, &error);
		cr_assert_str_eq(error.text, "", "%s", wrong[i]);
		cr_assert_str_eq(conf.host, "h");
		cr_assert_str_eq(conf.key, "", "%s", wrong[i]);
		cr_assert_eq(conf.caid, 0, "%s", wrong[i]);
		cr_assert_eq(conf.timeout_s, 8, "%s", wrong[i]);
		cr_assert_eq(conf.shift_ms, 0, "%s", wrong[i]);
		cr_assert_eq(conf.skip_ecm, 0, "%s", wrong[i]);
		cr_assert_not(conf.disable_emm || conf.split_cam ||
			      conf.force || conf.ignore_cw, "%s", wrong[i]);
		json_decref(entry);
	}
}

Test(softcam_conf, names_what_keeps_an_entry_from_work)
{
	char text[1024], name[MSG_CAM_LOGIN_MAX + 2];

	assert_error("'type':'cccam','host':'h','port':1,'user':'u',"
		     "'pass':'p'", "type: \"cccam\" is not newcamd");
	assert_error("'host':'h','port':1,'user':'u','pass':'p'",
		     "type: \"\" is not newcamd");
	assert_error("'type':'newcamd','host':'','port':1,'user':'u',"
		     "'pass':'p'", "host: is not a host name or address");
	assert_error("'type':'newcamd','host':7,'port':1,'user':'u',"
		     "'pass':'p'", "host: is not a host name or address");
	assert_error("'type':'newcamd','host':'h','port':0,'user':'u',"
		     "'pass':'p'", "port: is not a port (1 to 65535)");
	assert_error("'type':'newcamd','host':'h','port':65536,'user':'u',"
		     "'pass':'p'", "port: is not a port (1 to 65535)");
	assert_error("'type':'newcamd','host':'h','port':1,'pass':'p'",
		     "user or pass: is missing");
	assert_error("'type':'newcamd','host':'h','port':1,'user':'u'",
		     "user or pass: is missing");
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	(void)snprintf(text, sizeof text, "'type':'newcamd','host':'h',"
		       "'port':1,'user':'%s','pass':'p'", name);
	assert_error(text, "user or pass: is longer than 128 bytes");
}
