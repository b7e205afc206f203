/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/input_edit.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct {
	const char *before;
	bool has;         /* cam=old */
	const char *to;   /* cam=new */
	const char *gone;
} cams[] = {
	{ "udp://1.2.3.4#cam=old", true, "udp://1.2.3.4#cam=new",
	  "udp://1.2.3.4" },
	{ "udp://1.2.3.4#pnr=1&cam=old&id=x", true,
	  "udp://1.2.3.4#pnr=1&cam=new&id=x", "udp://1.2.3.4#pnr=1&id=x" },
	{ "udp://1.2.3.4#cam=old&pnr=1", true,
	  "udp://1.2.3.4#cam=new&pnr=1", "udp://1.2.3.4#pnr=1" },
	{ "udp://1.2.3.4#pnr=1&cam=old", true,
	  "udp://1.2.3.4#pnr=1&cam=new", "udp://1.2.3.4#pnr=1" },
	{ "dvb://a#cam=old&cam=old", true, "dvb://a#cam=new&cam=new",
	  "dvb://a" },
	{ "http://h/?cam=old#a#cam=old", false, "http://h/?cam=old#a#cam=old",
	  "http://h/?cam=old#a#cam=old" },
	{ "http://h/?cam=old", false, "http://h/?cam=old",
	  "http://h/?cam=old" },
	{ "udp://1.2.3.4#cam=older", false, "udp://1.2.3.4#cam=older",
	  "udp://1.2.3.4#cam=older" },
	{ "udp://1.2.3.4#cam=ol", false, "udp://1.2.3.4#cam=ol",
	  "udp://1.2.3.4#cam=ol" },
	{ "udp://1.2.3.4#webcam=old", false, "udp://1.2.3.4#webcam=old",
	  "udp://1.2.3.4#webcam=old" },
	{ "udp://1.2.3.4#cam", false, "udp://1.2.3.4#cam",
	  "udp://1.2.3.4#cam" },
	{ "udp://1.2.3.4#x=cam=old", false, "udp://1.2.3.4#x=cam=old",
	  "udp://1.2.3.4#x=cam=old" },
	{ "udp://1.2.3.4#filter~=1,2&cam=old", true,
	  "udp://1.2.3.4#filter~=1,2&cam=new", "udp://1.2.3.4#filter~=1,2" },
	{ "udp://1#cam=old,b&id=x", true, "udp://1#cam=new,b&id=x",
	  "udp://1#cam=b&id=x" },
	{ "udp://1#cam=a,old,b", true, "udp://1#cam=a,new,b",
	  "udp://1#cam=a,b" },
	{ "udp://1#id=x&cam=a,old", true, "udp://1#id=x&cam=a,new",
	  "udp://1#id=x&cam=a" },
	{ "udp://1#cam=older,a,bold", false, "udp://1#cam=older,a,bold",
	  "udp://1#cam=older,a,bold" },
	{ "", false, "", "" },
};

Test(input_edit, follows_a_softcam)
{
	for (size_t i = 0; i < ARRAY_LEN(cams); i++) {
		char *to = input_edit_cam(cams[i].before, "old", "new");
		char *gone = input_edit_cam(cams[i].before, "old", NULL);

		cr_expect_eq(input_edit_has_cam(cams[i].before, "old"),
			     cams[i].has, "%s", cams[i].before);
		cr_expect_str_eq(to, cams[i].to);
		cr_expect_str_eq(gone, cams[i].gone);
		free(to);
		free(gone);
	}
}

Test(input_edit, finds_an_adapter)
{
	char *text;

	cr_assert(input_edit_is_adapter("dvb://a1", "a1"));
	cr_assert(input_edit_is_adapter("DVB://a1#pnr=1", "a1"));
	cr_assert_not(input_edit_is_adapter("dvb://a11", "a1"));
	cr_assert_not(input_edit_is_adapter("dvb://a", "a1"));
	cr_assert_not(input_edit_is_adapter("udp://a1", "a1"));
	cr_assert_not(input_edit_is_adapter("dvb:/a1", "a1"));
	text = input_edit_adapter("dvb://a1#pnr=1&cam", "b2");
	cr_assert_str_eq(text, "dvb://b2#pnr=1&cam");
	free(text);
	text = input_edit_adapter("dvb://a1", "b2");
	cr_assert_str_eq(text, "dvb://b2");
	free(text);
}
