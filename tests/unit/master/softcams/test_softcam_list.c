/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/softcams/softcam_state.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <string.h>

struct rig {
	struct ev_loop *loop;
	struct spawner *spawner;
	struct softcams *softcams;
	struct softcam_user user;
	unsigned cams, words;
	char error[128]; /* of the last message */
};

static void on_gone(void *arg)
{
	(void)arg;
}

static void take(const struct msg *m, void *arg)
{
	struct rig *g = arg;
	const char *error = m->type == MSG_STREAM_CAM ? m->stream_cam.error
						      : m->stream_word.error;

	g->cams += m->type == MSG_STREAM_CAM;
	g->words += m->type == MSG_STREAM_WORD;
	(void)snprintf(g->error, sizeof g->error, "%s", error);
}

static void rig_init(struct rig *g, const char *list)
{
	json_t *softcams = json_loads(list, 0, NULL);

	*g = (struct rig){ .loop = ev_loop_new(0) };
	/* no worker starts: the loop does not run */
	g->spawner = spawner_new(g->loop, "/nonexistent/sluice-worker");
	g->softcams = softcams_new(&(struct service_config){
		.loop = g->loop, .spawner = g->spawner, .on_gone = on_gone });
	softcams_set(g->softcams, softcams);
	json_decref(softcams);
	g->user = (struct softcam_user){ .stream = "a", .n = 1, .up = true,
					 .send = take, .arg = g };
	memcpy(g->user.ids[0], "c1", 3);
	softcams_use(g->softcams, &g->user);
}

static void rig_done(struct rig *g)
{
	g->user.n = 0;
	softcams_use(g->softcams, &g->user);
	softcams_free(&g->softcams);
	spawner_free(&g->spawner);
	ev_loop_destroy(g->loop);
}

static void ask(struct rig *g, const char *softcam)
{
	struct msg m = { .type = MSG_STREAM_ECM };

	m.stream_ecm = (struct msg_cam_section){ .name = softcam, .number = 1,
						 .section = "807000" };
	softcams_take(g->softcams, &g->user, &m);
}

#define C1 "{\"id\":\"c1\",\"name\":\"x\",\"type\":\"newcamd\"," \
	   "\"host\":\"h\",\"port\":1,\"user\":\"u\",\"pass\":\"p\"}"
#define SPLIT "{\"id\":\"c1\",\"name\":\"x\",\"type\":\"newcamd\"," \
	      "\"host\":\"h\",\"port\":1,\"user\":\"u\",\"pass\":\"p\"," \
	      "\"split_cam\":true}"

Test(softcam_list, a_stream_asks_only_the_softcams_that_it_names)
{
	struct rig g;

	rig_init(&g, "[" C1 "]");
	ask(&g, "c2");
	cr_assert_eq(g.words, 0);
	ask(&g, "c1");
	cr_assert_eq(g.words, 1);
	cr_assert_str_eq(g.error, "not connected");
	rig_done(&g);
}

Test(softcam_list, a_flood_of_questions_has_a_bound)
{
	struct rig g;

	rig_init(&g, "[" C1 "]");
	for (unsigned i = 0; i < SOFTCAM_ASKS_MAX; i++)
		ask(&g, "c1");
	cr_assert_str_eq(g.error, "not connected");
	ask(&g, "c1");
	cr_assert_str_eq(g.error, "too many requests");
	rig_done(&g);
}

Test(softcam_list, a_stream_learns_of_changes_of_its_softcams)
{
	struct softcam_info info;
	struct rig g;

	rig_init(&g, "[]");
	softcams_user_up(g.softcams, &g.user);
	cr_assert_eq(g.cams, 1);
	cr_assert_str_eq(g.error, "there is no such softcam");
	cr_assert_not(softcams_get(g.softcams, "c1", &info));
	rig_done(&g);

	rig_init(&g, "[{\"id\":\"c1\",\"type\":\"oscam\"}]");
	softcams_user_up(g.softcams, &g.user);
	cr_assert_str_eq(g.error, "type: \"oscam\" is not newcamd");
	cr_assert_null(softcams_service(g.softcams, 0));
	rig_done(&g);

	rig_init(&g, "[" C1 "]");
	softcams_user_up(g.softcams, &g.user);
	cr_assert_str_eq(g.error, "not connected");
	cr_assert_not_null(softcams_service(g.softcams, 0));
	softcams_set(g.softcams, NULL);
	cr_assert_str_eq(g.error, "there is no such softcam");
	rig_done(&g);
}

/* With split_cam, one of two processes ends. */
Test(softcam_list, sums_of_a_softcam_do_not_go_back_with_a_process)
{
	struct msg m = { .type = MSG_SOFTCAM_STATUS };
	struct softcam_info info;
	struct softcam_user other;
	struct softcam *c;
	struct rig g;

	rig_init(&g, "[" SPLIT "]");
	other = (struct softcam_user){ .stream = "b", .n = 1, .send = take,
				       .arg = &g };
	memcpy(other.ids[0], "c1", 3);
	softcams_use(g.softcams, &other);
	c = softcam_find(g.softcams, "c1");
	m.softcam_status.refused = 10;
	m.softcam_status.timeouts = 7;
	softcam_kind.on_message(&m, softcam_proc_of(c, "a"));
	softcam_kind.on_message(&m, softcam_proc_of(c, "b"));
	softcam_kind.on_down(softcam_proc_of(c, "a"));
	cr_assert(softcams_get(g.softcams, "c1", &info));
	cr_expect_eq(info.refused, 20u);
	cr_expect_eq(info.timeouts, 14u);
	cr_expect_eq(info.status.refused, 10u);
	other.n = 0;
	softcams_use(g.softcams, &other);
	rig_done(&g);
}
