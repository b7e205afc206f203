/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/history.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/shared.h"
#include "common/supervise/handover.h"
#include "master/config/config.h"
#include "master/status/hour.h"
#include "master/status/status.h"
#include "master/status/system_alarms.h"
#include "master/status/system_status.h"

#include <errno.h>
#include <string.h>

static const char key[] = "history";

/* --- the hours --- */

/*
 * The member of the handover with the hours:
 *
 * {"layout": 1, "memory": "y17", "streams": [["news", {"last": …}], …]}
 *
 * The memory with this handover name has the bytes of all streams, in the order
 * of "streams".
 */
static const char hours_key[] = "hours";

static size_t size_of_hours(const struct status *status)
{
	const struct hour *hour;
	const char *id;
	size_t size = 0;

	for (size_t i = 0; hour = status_hour_at(status, i, &id), id != NULL;
	     i++)
		size += hour != NULL ? hour_size(hour) : 0;
	return size;
}

static json_t *write_streams(const struct status *status, uint8_t *to)
{
	json_t *streams = json_array();
	const struct hour *hour;
	const char *id;

	for (size_t i = 0; hour = status_hour_at(status, i, &id), id != NULL;
	     i++) {
		if (hour == NULL || hour_size(hour) == 0)
			continue;
		(void)json_array_append_new(
			streams, json_pack("[s, o]", id, hour_write(hour, to)));
		to += hour_size(hour);
	}
	return streams;
}

int history_write_hours(const struct history *of, struct handover *h)
{
	size_t size = size_of_hours(of->status);
	int fd = size > 0 ? shared_create("hours", size) : -1, err = fd;
	uint8_t *bytes = fd >= 0 ? shared_map(fd, size, &err) : NULL;
	uint64_t number = 0;

	if (bytes == NULL) {
		if (size > 0)
			log_warning("master", "the history of the last hour "
				    "is not kept over the restart: %s",
				    strerror(-err));
		fd_close(&fd);
		return -1;
	}
	(void)json_object_set_new(
		handover_document(h), hours_key,
		json_pack("{s:i, s:o, s:o}", "layout", HOUR_LAYOUT, "streams",
			  write_streams(of->status, bytes), "memory",
			  handover_put(h, 'y', &number, fd)));
	shared_unmap(bytes, size);
	return fd;
}

static void take_streams(struct status *status, const json_t *streams,
			 const uint8_t *bytes, size_t size)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)streams, i, one) {
		const char *id = json_string_value(json_array_get(one, 0));
		const json_t *record = json_array_get(one, 1);
		size_t own = hour_size_of(record);

		if (own == 0 || own > size)
			return;
		if (id != NULL)
			status_take_hour(status, id, record, bytes);
		bytes += own;
		size -= own;
	}
}

static void take_hours(const struct history *of, struct handover *h)
{
	const json_t *hours = json_object_get(handover_document(h), hours_key);
	json_int_t layout = json_integer_value(json_object_get(hours,
							       "layout"));
	uint64_t number;
	int err = -EPROTO;
	int fd = handover_take(h, json_object_get(hours, "memory"), 'y',
			       &number);
	ssize_t size = fd >= 0 ? shared_size(fd) : -1;
	uint8_t *bytes = size > 0 && layout == HOUR_LAYOUT
				 ? shared_map(fd, (size_t)size, &err) : NULL;

	if (bytes != NULL) {
		take_streams(of->status, json_object_get(hours, "streams"),
			     bytes, (size_t)size);
		shared_unmap(bytes, (size_t)size);
	} else if (fd >= 0 && layout != HOUR_LAYOUT) {
		log_info("master", "the history of the last hour is empty: the "
				   "previous program stored it in another "
				   "layout");
	} else if (fd >= 0) {
		log_warning("master", "the history of the last hour is empty: "
			    "the memory of the previous program cannot be "
			    "read: %s", strerror(-err));
	}
	fd_close(&fd);
}

/* --- the records for the next master --- */

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
	take_hours(of, h);
	if (backup_ms > 0 && backup_ms <= CONFIG_BACKUP_DELAY_MS)
		config_backup_in(of->config, (unsigned)backup_ms);
}
