/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as the description of a SAT>IP server: what is read is
 * bounded, can be shown, and leads to the server alone. */
#include "common/base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "worker/scan/server_description.h"

#include <stdlib.h>
#include <string.h>

static void judge_text(const char text[SERVER_TEXT_MAX])
{
	size_t len = strnlen(text, SERVER_TEXT_MAX);

	if (len == SERVER_TEXT_MAX || !utf8_is_valid(text, len))
		abort();
	for (size_t i = 0; i < len; i++)
		if ((uint8_t)text[i] < ' ' || text[i] == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct server_facts f;
	struct server_url again;
	char url[SERVER_URL_MAX];

	if (server_description_parse(data, size, "192.0.2.1", 8875, &f,
				     NULL) < 0)
		return 0;
	judge_text(f.name);
	judge_text(f.manufacturer);
	judge_text(f.model);
	if (f.n_systems > MSG_SERVER_SYSTEMS_MAX)
		abort();
	for (size_t i = 0; i < f.n_systems; i++)
		if (f.systems[i].name[0] == '\0' ||
		    f.systems[i].frontends == 0 ||
		    f.systems[i].frontends > SERVER_FRONTENDS_MAX)
			abort();
	if (f.channels.port == 0)
		return 0;
	server_url_format(&f.channels, "192.0.2.1", url);
	if (server_url_parse((struct slice){ url, strlen(url) }, "192.0.2.1",
			     &again, NULL) < 0)
		abort();
	return 0;
}
