/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/common/ws/hub_site.h"

#include <string.h>

Test(ws_hub_scopes, sends_extra_messages_to_those_who_asked)
{
	struct site *s = site_open();
	struct client plain = join(s, ASK("/"));
	json_t *message = json_pack("{s:s}", "scope", "extra");
	struct client cam, both;

	hub_send_extra(s->hub, HUB_CAM, message);
	cam = join(s, ASK("/cam"));
	both = join(s, ASK("/both"));
	cr_assert(hub_wants_extra(s->hub, HUB_LOG));
	hub_send_extra(s->hub, HUB_LOG, message);
	broadcast(s, 1, HUB_SOON);
	cr_assert(client_expect(&both, "extra"));
	cr_assert(client_expect(&both, "\"n\":1}"));
	cr_assert(client_expect(&cam, "\"n\":1}"));
	cr_assert_not(client_has(&cam, "extra"));
	hub_send_extra(s->hub, HUB_CAM, message);
	cr_assert(client_expect(&cam, "extra"));
	broadcast(s, 2, HUB_SOON);
	cr_assert(client_expect(&plain, "\"n\":2}"));
	cr_assert_not(client_has(&plain, "extra"));
	json_decref(message);
	client_close(&cam);
	client_close(&both);
	client_close(&plain);
	site_close(s);
}

Test(ws_hub_scopes, sends_a_text_as_it_is_to_reduced_clients_too)
{
	static const char text[] = "{\"a\":\"b\"}";
	struct site *s = site_open();
	struct client whole = join(s, ASK("/"));
	struct client reduced = join(s, ASK("/reduced"));

	hub_broadcast_text(s->hub, text, strlen(text), HUB_SOON);
	broadcast(s, 1, HUB_SOON);
	cr_assert(client_expect(&whole, "\"n\":1}"));
	cr_assert(client_has(&whole, text));
	cr_assert(client_expect(&reduced, text));
	client_close(&reduced);
	client_close(&whole);
	site_close(s);
}
