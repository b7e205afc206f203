/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Application objects (APDU) of a module whose first byte is the resource, each
 * with its length in front, between what the host sends: nothing outgrows its
 * limit, and every message fits. */
#include "tests/fuzz/fuzz.h"
#include "common/base/units.h"
#include "worker/adapter/ci/ci_module.h"

#include <stdlib.h>

/* Opens a session and passes the object to it. */
static void pass(struct ci_module *m, const uint8_t *data, size_t n,
		 uint64_t now_ns)
{
	struct ci_session_object o = {
		.number = 1 + data[0] % (CI_RESOURCES - 1),
		.resource = (enum ci_resource)(1 + data[0] %
					       (CI_RESOURCES - 1)),
		.data = { data + 1, n - 1 },
	};

	m->sessions.of[o.number - 1] = o.resource;
	if (data[0] & 0x80)
		ci_objects_open(m, &o);
	ci_objects_take(m, &o, now_ns);
	if (data[0] & 0x40)
		ci_objects_close(m, &o, now_ns);
}

static void send_all(struct ci_module *m, const struct ca_programs *programs,
		     uint64_t now_ns)
{
	uint8_t to[CI_SEND_MAX];

	for (int i = 0; i < 100; i++) {
		if (ci_module_next(m, programs, now_ns, 1, to) > sizeof to)
			abort();
		m->link.waits = false;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ci_config cfg = { .limit = 4 };
	struct ca_programs *programs = calloc(1, sizeof *programs);
	struct ci_module *m = malloc(sizeof *m);
	uint64_t now_ns = SECOND_NS;

	if (m == NULL || programs == NULL)
		abort();
	ci_module_init(m, &cfg);
	ci_module_set_slot(m, CI_SLOT_READY, now_ns);
	m->link.open = true;
	while (size > 1) {
		size_t n = data[0] < size - 1 ? data[0] : size - 1;

		if (n > 0)
			pass(m, data + 1, n, now_ns);
		(void)!ci_module_act(m, (enum ci_action)(n % 5), data[0], "1",
				     NULL);
		send_all(m, programs, now_ns);
		if (m->n_queued > CI_QUEUE_MAX ||
		    m->list.ids.n > CA_IDS_MAX ||
		    m->n_answers > CA_PROGRAMS_MAX ||
		    m->mmi.n > MMI_ITEMS_MAX)
			abort();
		now_ns += 100 * MS;
		ci_module_set_slot(m, CI_SLOT_READY, now_ns);
		data += 1 + n;
		size -= 1 + n;
	}
	free(m);
	free(programs);
	return 0;
}
