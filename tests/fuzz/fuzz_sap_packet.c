/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Announcements.  The table keeps its bounds, and a client that follows its
 * events has the same table. */
#include "common/base/utf8.h"
#include "proto/spec/io_spec.h"
#include "tests/fuzz/datagrams.h"
#include "tests/fuzz/fuzz.h"
#include "worker/scan/session_table.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE_NS UINT64_C(60000000000)

static void judge(const struct session_report *p)
{
	struct input_spec spec;

	if (p->number >= SESSIONS_MAX)
		abort();
	if (p->iface[0] == '\0')
		return;
	if (!utf8_is_valid(p->name, strlen(p->name)) ||
	    !utf8_is_valid(p->note, strlen(p->note)))
		abort();
	if (p->input[0] == '\0' ? p->note[0] == '\0'
				: input_spec_parse(p->input, &spec, NULL, NULL,
						   NULL) < 0)
		abort();
}

static void follow(struct session_table *a, uint64_t now_ns,
		   bool known[SESSIONS_MAX])
{
	struct session_report place;
	unsigned n = 0, told = 0;

	while (session_table_next_report(a, now_ns, &place)) {
		judge(&place);
		known[place.number] = place.iface[0] != '\0';
		if (told++ > SESSIONS_MAX)
			abort();
	}
	for (size_t i = 0; i < SESSIONS_MAX; i++)
		n += known[i];
	if (n != session_table_count(a))
		abort();
}

/* All entries expire, with their events: the table is like a new one. */
static void clear(struct session_table *a, uint64_t now_ns)
{
	struct session_report place;

	session_table_expire(a, now_ns + 10000 * MINUTE_NS);
	if (session_table_count(a) > 0)
		abort();
	while (session_table_next_report(a, now_ns, &place))
		;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct session_table *a;
	bool known[SESSIONS_MAX] = { false };
	uint64_t now_ns = MINUTE_NS;
	struct fuzz_datagram d;

	if (a == NULL)
		a = session_table_new();
	while (fuzz_next_datagram(&data, &size, &d)) {
		now_ns += d.steps * MINUTE_NS;
		(void)!session_table_feed(a, &(struct session_packet){
			.iface = d.iface,
			.sender = &d.sender,
			.data = d.data,
			.len = d.len,
		}, now_ns, NULL);
		if (d.steps > 0) {
			session_table_expire(a, now_ns);
			follow(a, now_ns, known);
		}
	}
	follow(a, now_ns, known);
	clear(a, now_ns);
	return 0;
}
