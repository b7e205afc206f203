/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/adapter_grants.h"

#include "common/base/util.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>

enum {
	TUNER = NEED_FILES | NEED_DEVICES,
	NET = NEED_TCP | NEED_NAMES,
};

struct grant_case {
	const char *adapter;
	unsigned needs;      /* in the program that resolves no names */
	unsigned needs_net;  /* in the other one */
	const char *path;    /* the only one; NULL: none */
};

static const struct grant_case cases[] = {
	{ "{'type':'T','frequency':474,'adapter':3}", TUNER, TUNER,
	  "/dev/dvb/adapter3" },
	{ "{'type':'T','frequency':474}", TUNER, TUNER, "/dev/dvb/adapter0" },
	/* its number is found */
	{ "{'type':'T','frequency':474,'adapter':1,"
	  "'mac':'00:11:22:33:44:55'}", TUNER, TUNER, "/dev/dvb" },
	{ "{'type':'T','frequency':474,'adapter':1,'path':'usb1/1-3'}", TUNER,
	  TUNER, "/dev/dvb" },
	/* a slot for a CAM */
	{ "{'type':'CI','adapter':2,'address':'udp://239.1.1.1:5000'}",
	  NEED_UDP | TUNER, NEED_UDP | NET | TUNER, "/dev/dvb/adapter2" },
	{ "{'server':'192.0.2.1','ddci':4}", NEED_UDP | NEED_TCP | TUNER,
	  NEED_UDP | NET | TUNER, "/dev/dvb/adapter4" },
	/* a key is missing */
	{ "{'type':'T','adapter':3}", 0, 0, NULL },
	{ "{'server':'192.0.2.1'}", NEED_UDP | NEED_TCP, NEED_UDP | NET,
	  NULL },
	{ "{'address':'udp://239.1.1.1:5000'}", NEED_UDP, NEED_UDP | NET,
	  NULL },
	{ "{'address':'file:///media/clip.ts'}", NEED_UDP | NEED_FILES,
	  NEED_UDP | NET | NEED_FILES, "/media/clip.ts" },
};

static void judge(const struct grant_case *c, bool net, unsigned needs)
{
	json_t *adapter = quoted(c->adapter);
	struct grants g;

	adapter_grants(adapter, net, &g);
	cr_assert_eq(g.needs, needs, "%s: %#x", c->adapter, g.needs);
	cr_assert_eq(g.n, c->path != NULL, "%s", c->adapter);
	if (c->path != NULL)
		cr_assert_str_eq(g.list[0].path, c->path);
	grants_done(&g);
	json_decref(adapter);
}

Test(adapter_grants, gives_each_source_what_it_needs_alone)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		judge(&cases[i], false, cases[i].needs);
		judge(&cases[i], true, cases[i].needs_net);
	}
}
