/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/link_stat.h"

#define NOW(what, name, unit_, text) \
	[LINK_##what] = { name, .type = FIELD_UINT, .flags = FIELD_MAYBE, \
			  .unit = unit_, .help = text }
#define SUM(what, name, text) NOW(what, name, NULL, text)

static const struct field rows[] = {
	NOW(PEERS, "peers", NULL, "Connected peers."),
	NOW(INTERFACE, "interface", NULL,
	    "Index of the interface on which the group is joined."),
	NOW(RTT_US, "rtt_us", "us", "Round-trip time."),
	NOW(LATENCY_MS, "latency_ms", "ms", "Delay of the receiver's buffer."),
	NOW(BANDWIDTH_KBPS, "bandwidth_kbps", "kbit/s",
	    "Estimated bandwidth of the path."),
	NOW(RATE_KBPS, "rate_kbps", "kbit/s",
	    "Rate on the wire, with retransmissions."),
	NOW(PATHS, "paths", NULL, "Paths that receive packets, of two."),
	NOW(SKEW_US, "skew_us", "us", "Delay between the two paths."),
	NOW(MUX_STATE, "mux_state", NULL,
	    "State of the input that mux= names."),
	NOW(FREE_MIB, "free_mib", "MiB", "Free space of the disk."),
	NOW(QUEUED_KIB, "queued_kib", "KiB",
	    "Data that waits to be written to the disk."),
	NOW(GAP_P50_US, "gap_p50_us", "us",
	    "Median gap between two datagrams that are sent."),
	NOW(GAP_P99_US, "gap_p99_us", "us",
	    "99th percentile of the gap between two datagrams that are sent."),
	NOW(GAP_MAX_US, "gap_max_us", "us",
	    "Longest gap between two datagrams that are sent."),
	NOW(BUFFER_MS, "buffer_ms", "ms",
	    "Downloaded media that waits to be played."),
	NOW(VARIANT_BANDWIDTH, "variant_bandwidth", "bit/s",
	    "Bandwidth of the variant, as in the playlist."),
	SUM(CONNECTS, "connects", "Connections that were established."),
	SUM(REFUSED, "refused", "Connections that failed or were refused."),
	SUM(FILES, "files", "Files that were created or continued."),
	SUM(RECEIVED, "received", "Datagrams received."),
	SUM(SENT, "sent", "Datagrams sent."),
	SUM(LOST, "lost", "Datagrams missing at first, recovered or not."),
	SUM(RECOVERED, "recovered",
	    "Lost datagrams that arrived in time after all."),
	SUM(RETRANSMITTED, "retransmitted", "Datagrams sent again on request."),
	SUM(DROPPED, "dropped", "Datagrams that arrived too late."),
	SUM(UNDECRYPTED, "undecrypted", "Datagrams that no key decrypts."),
	SUM(REORDERED, "reordered", "Datagrams that later ones overtook."),
	SUM(DUPLICATES, "duplicates",
	    "Datagrams that arrived twice on one path."),
	SUM(INVALID, "invalid", "Datagrams that are not part of the stream."),
	SUM(FEC_SENT, "fec_sent", "FEC datagrams sent."),
	SUM(FEC_RECEIVED, "fec_received", "FEC datagrams received."),
	SUM(FEC_REPAIRED, "fec_repaired", "Datagrams that FEC repaired."),
	SUM(FEC_UNREPAIRED, "fec_unrepaired",
	    "Datagrams that FEC could not repair."),
	SUM(PATH1_RECEIVED, "path1_received",
	    "Datagrams received on the first path."),
	SUM(PATH2_RECEIVED, "path2_received",
	    "Datagrams received on the second path."),
	SUM(PATH1_LOST, "path1_lost", "Datagrams lost on the first path."),
	SUM(PATH2_LOST, "path2_lost", "Datagrams lost on the second path."),
	SUM(MUX_RECEIVED, "mux_received",
	    "Packets of the PID that mux_pid= names."),
	SUM(MUX_SENT, "mux_sent",
	    "Packets of the PID of mux_pid= inserted into the stream."),
	SUM(MUX_LOST, "mux_lost",
	    "Packets of the PID of mux_pid= missing by their counter."),
	SUM(MUX_DROPPED, "mux_dropped",
	    "Packets of the PID of mux_pid= dropped: too many at once, or not "
	    "yet announced in the PMT."),
	SUM(CBR_OVERFLOW, "cbr_overflow",
	    "Packets dropped because cbr= is too low."),
	SUM(CBR_LATE, "cbr_late", "Packets that a busy machine dropped."),
	SUM(SEGMENTS, "segments", "Segments downloaded."),
	SUM(SEGMENT_ERRORS, "segment_errors",
	    "Downloads of segments that failed."),
	SUM(SEGMENTS_SKIPPED, "segments_skipped",
	    "Segments that were never available."),
	SUM(PLAYLIST_RELOADS, "playlist_reloads", "Reloads of the playlist."),
};

_Static_assert(ARRAY_LEN(rows) == LINK_STAT_COUNT, "a row for each");
_Static_assert(LINK_STAT_COUNT <= 64, "a bit for each");

const struct field_table link_stat_fields = { rows, ARRAY_LEN(rows),
					      .flags = FIELD_STRICT };

const char *link_stat_name(enum link_stat what)
{
	return rows[what].key;
}

static bool is_known(const struct link_stats *s, size_t i)
{
	return s->known >> i & 1;
}

void link_stats_carry(struct link_stats *s, const struct link_stats *before)
{
	for (size_t i = LINK_FIRST_COUNTER; i < LINK_STAT_COUNT; i++)
		if (is_known(before, i))
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
				o, rows[i].key,
				json_integer((json_int_t)MIN(
					s->value[i], (uint64_t)INT64_MAX)));
	return o;
}
