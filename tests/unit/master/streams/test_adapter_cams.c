/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/adapter_cams.h"

#include <criterion/criterion.h>

Test(adapter_cams, sends_programs_that_the_worker_does_not_know)
{
	struct adapter_cams cams = { 0 };
	struct msg_adapter_cam cam = { .n = 0 };

	/* a new worker knows nothing, not even that there are none */
	cr_assert(adapter_cams_set(&cams, &cam));
	cr_assert(!adapter_cams_set(&cams, &cam));
	cam.n = 2;
	cam.programs[1] = 7;
	cr_assert(adapter_cams_set(&cams, &cam));
	cr_assert(!adapter_cams_set(&cams, &cam));
	cam.programs[1] = 8;
	cr_assert(adapter_cams_set(&cams, &cam));
	adapter_cams_forget(&cams);
	cr_assert(adapter_cams_set(&cams, &cam));
	adapter_cams_forget(&cams);
}

static struct msg_adapter_slot slot_at(uint32_t number, const char *error,
				       const char *kind)
{
	return (struct msg_adapter_slot){
		.slot = number, .state = "ready", .error = error,
		.name = "CAM", .n_caids = 1, .caids = { 0x0b00 },
		.n_programs = 1, .programs = { { 7, "waiting" } },
		.menu = { .kind = kind, .title = "T", .subtitle = "",
			  .bottom = "", .n = 1, .items = { "One" } } };
}

Test(adapter_cams, keeps_the_last_report_of_each_slot)
{
	struct adapter_cams cams = { 0 };
	struct msg_adapter_slot one = slot_at(1, "", "menu");
	struct msg_adapter_slot zero = slot_at(0, "no card", "");
	const json_t *slot = adapter_cams_take(&cams, &one);
	const json_t *menu = json_object_get(slot, "menu");

	cr_assert_str_eq(json_string_value(json_object_get(slot, "state")),
			 "ready");
	cr_assert_null(json_object_get(slot, "error"));
	cr_assert_str_eq(json_string_value(json_array_get(
				 json_object_get(menu, "items"), 0)), "One");
	slot = adapter_cams_take(&cams, &zero);
	cr_assert_str_eq(json_string_value(json_object_get(slot, "error")),
			 "no card");
	cr_assert_null(json_object_get(slot, "menu"));
	cr_assert_eq(json_array_size(cams.slots), 2);
	one.menu.kind = "";
	slot = adapter_cams_take(&cams, &one);
	cr_assert_null(json_object_get(slot, "menu"));
	cr_assert_eq(json_array_size(cams.slots), 2);
	adapter_cams_forget(&cams);
	cr_assert_null(cams.slots);
}
