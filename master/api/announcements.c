/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET api/announcements: the sessions that SAP announces on the network. */
#include "master/api/command.h"
#include "master/api/discovery.h"

/* Time for which the worker listens after the last request of a control user.
 * Announcements arrive minutes apart. */
enum { LIFE_MS = 3600 * 1000 };

static bool read_entry(const struct msg *m, uint32_t *ret_place,
		       json_t **ret_entry)
{
	const struct msg_scan_announcement *a = &m->scan_announcement;
	json_t *entry = NULL;

	if (m->type != MSG_SCAN_ANNOUNCEMENT)
		return false;
	/* an announcement without an interface: the session has ended */
	if (a->iface[0] != '\0') {
		entry = json_pack("{s:s, s:s, s:s}", "name", a->name, "sender",
				  a->sender, "iface", a->iface);
		discovery_put(entry, "input", a->input);
		discovery_put(entry, "note", a->note);
	}
	*ret_place = a->place;
	*ret_entry = entry;
	return true;
}

const struct discovery_kind announcements_kind = {
	.address = SCAN_ANNOUNCEMENTS,
	.key = "announcements",
	.what = "announcements",
	.life_ms = LIFE_MS,
	.read = read_entry,
};

static void announcements_get(struct api *api, const char *id,
			      enum status_span span, struct reply *reply)
{
	(void)id, (void)span;
	discovery_get(api->announcements, reply);
}

const struct api_path announcements_paths[] = {
	{ "api/announcements", PATH_ALONE, OBSERVER_ALLOWED,
	  .get = announcements_get },
	{ 0 },
};
