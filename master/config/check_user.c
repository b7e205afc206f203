/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One entry of users, as it is sent and as it is stored. */
#include "common/account/user.h"
#include "master/config/config_fields.h"
#include "master/config/judge.h"

static void judge_user_type(struct judge *j, const json_t *user)
{
	const json_t *type = json_object_get(user, "type");
	double number = json_number_value(type);
	size_t mark = judge_down(j, "type");

	if (json_is_number(type) && number != USER_CONTROL &&
	    number != USER_OBSERVER && number != USER_REGULAR)
		judge_say(j, CHECK_FAULT, "is not 1, 2 or 3");
	judge_up(j, mark);
}

static void judge_conlimit(struct judge *j, const json_t *user)
{
	const json_t *limit = json_object_get(user, "conlimit");
	size_t mark = judge_down(j, "conlimit");

	if (limit != NULL && !json_is_number(limit) && !json_is_string(limit))
		judge_say(j, CHECK_FAULT, "is not a number");
	judge_up(j, mark);
}

void judge_user(struct judge *j, const json_t *user)
{
	judge_fields(j, &user_fields, user, NULL);
	judge_user_type(j, user);
	judge_conlimit(j, user);
}
