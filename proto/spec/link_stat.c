/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/link_stat.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const struct {
	const char *name;
	bool counts; /* grows; else it is how it is now */
} table[] = {
	[LINK_PEERS] = { "peers", false },
	[LINK_INTERFACE] = { "interface", false },
	[LINK_RTT_US] = { "rtt_us", false },
	[LINK_LATENCY_MS] = { "latency_ms", false },
	[LINK_BANDWIDTH_KBPS] = { "bandwidth_kbps", false },
	[LINK_RATE_KBPS] = { "rate_kbps", false },
	[LINK_PATHS] = { "paths", false },
	[LINK_SKEW_US] = { "skew_us", false },
	[LINK_GAP_P50_US] = { "gap_p50_us", false },
	[LINK_GAP_P99_US] = { "gap_p99_us", false },
	[LINK_GAP_MAX_US] = { "gap_max_us", false },
	[LINK_MUX_STATE] = { "mux_state", false },
	[LINK_FREE_MIB] = { "free_mib", false },
	[LINK_QUEUED_KIB] = { "queued_kib", false },
	[LINK_FILES] = { "files", true },
	[LINK_CONNECTS] = { "connects", true },
	[LINK_REFUSED] = { "refused", true },
	[LINK_RECEIVED] = { "received", true },
	[LINK_SENT] = { "sent", true },
	[LINK_LOST] = { "lost", true },
	[LINK_RECOVERED] = { "recovered", true },
	[LINK_RETRANSMITTED] = { "retransmitted", true },
	[LINK_DROPPED] = { "dropped", true },
	[LINK_UNDECRYPTED] = { "undecrypted", true },
	[LINK_REORDERED] = { "reordered", true },
	[LINK_DUPLICATES] = { "duplicates", true },
	[LINK_INVALID] = { "invalid", true },
	[LINK_FEC_SENT] = { "fec_sent", true },
	[LINK_FEC_RECEIVED] = { "fec_received", true },
	[LINK_FEC_REPAIRED] = { "fec_repaired", true },
	[LINK_FEC_UNREPAIRED] = { "fec_unrepaired", true },
	[LINK_PATH1_RECEIVED] = { "path1_received", true },
	[LINK_PATH2_RECEIVED] = { "path2_received", true },
	[LINK_PATH1_LOST] = { "path1_lost", true },
	[LINK_PATH2_LOST] = { "path2_lost", true },
	[LINK_MUX_RECEIVED] = { "mux_received", true },
	[LINK_MUX_SENT] = { "mux_sent", true },
	[LINK_MUX_LOST] = { "mux_lost", true },
	[LINK_MUX_DROPPED] = { "mux_dropped", true },
	[LINK_CBR_OVERFLOW] = { "cbr_overflow", true },
	[LINK_CBR_LATE] = { "cbr_late", true },
	[LINK_BUFFER_MS] = { "buffer_ms", false },
	[LINK_VARIANT_BANDWIDTH] = { "variant_bandwidth", false },
	[LINK_SEGMENTS] = { "segments", true },
	[LINK_SEGMENT_ERRORS] = { "segment_errors", true },
	[LINK_SEGMENTS_SKIPPED] = { "segments_skipped", true },
	[LINK_PLAYLIST_RELOADS] = { "playlist_reloads", true },
};

_Static_assert(ARRAY_LEN(table) == LINK_STAT_COUNT, "a name for each");
_Static_assert(LINK_STAT_COUNT <= 64, "a bit for each");

const char *link_stat_name(enum link_stat what)
{
	return table[what].name;
}

static bool is_known(const struct link_stats *s, size_t i)
{
	return s->known >> i & 1;
}

void link_stats_carry(struct link_stats *s, const struct link_stats *before)
{
	for (size_t i = 0; i < LINK_STAT_COUNT; i++)
		if (table[i].counts && is_known(before, i))
			link_stats_set(s, (enum link_stat)i,
				       s->value[i] + before->value[i]);
}

void link_stats_take(struct link_stats *s, const struct link_stats *more)
{
	for (size_t i = 0; i < LINK_STAT_COUNT; i++)
		if (is_known(more, i))
			link_stats_set(s, (enum link_stat)i, more->value[i]);
}

json_t *link_stats_format(const struct link_stats *s)
{
	json_t *o;

	if (s->known == 0)
		return NULL;
	o = json_object();
	for (size_t i = 0; i < LINK_STAT_COUNT; i++)
		if (is_known(s, i))
			(void)json_object_set_new_nocheck(
				o, table[i].name,
				json_integer((json_int_t)MIN(
					s->value[i], (uint64_t)INT64_MAX)));
	return o;
}

static bool has_name(const char *name)
{
	for (size_t i = 0; i < LINK_STAT_COUNT; i++)
		if (strcmp(table[i].name, name) == 0)
			return true;
	return false;
}

int link_stats_check(const json_t *stats, struct errmsg *why)
{
	const char *name;
	const json_t *value;

	json_object_foreach((json_t *)stats, name, value) {
		if (!has_name(name))
			return errmsg_fail(why, -EBADMSG, "%.32s: unknown",
					   name);
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return errmsg_fail(why, -EBADMSG, "%s: no number",
					   name);
	}
	return 0;
}
