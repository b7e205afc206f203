/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/history.h"

#include "master/config/config.h"
#include "common/supervise/handover.h"
#include "master/status/status.h"
#include "master/status/system_alarms.h"
#include "master/status/system_status.h"

static const char key[] = "history";

void history_write_kept(const struct history *of, struct handover *h)
{
	json_t *history = json_pack("{s:o}", "streams",
				    status_write_kept(of->status));

	if (of->alarms != NULL)
		(void)json_object_set_new(history, "alarms",
					  system_alarms_write(of->alarms));
	(void)json_object_set_new(handover_document(h), key, history);
}

void history_write(const struct history *of, struct handover *h)
{
	json_t *history = json_pack("{s:o, s:o, s:I}", "streams",
				    status_write(of->status), "system",
				    system_status_write(of->system),
				    "backup_ms",
				    (json_int_t)config_backup_ms(of->config));

	if (of->alarms != NULL)
		(void)json_object_set_new(history, "alarms",
					  system_alarms_write(of->alarms));
	(void)json_object_set_new(handover_document(h), key, history);
}

void history_take(const struct history *of, struct handover *h)
{
	const json_t *history = json_object_get(handover_document(h), key);
	json_int_t backup_ms = json_integer_value(
		json_object_get(history, "backup_ms"));

	status_take(of->status, json_object_get(history, "streams"));
	system_status_take(of->system, json_object_get(history, "system"));
	if (of->alarms != NULL)
		system_alarms_restore(of->alarms,
				      json_object_get(history, "alarms"));
	if (backup_ms > 0 && backup_ms <= CONFIG_BACKUP_DELAY_MS)
		config_backup_in(of->config, (unsigned)backup_ms);
}
