/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_duplicates.h"

#include "common/base/util.h"

#include <stddef.h>
#include <string.h>

enum {
	KNOWN = 0x80,
	ADAPTATION_PCR = 0x10,
};

bool ts_is_filler(const uint8_t *packet)
{
	size_t at = ts_payload_offset(packet);

	/* a quick check first: nearly always the first two bytes differ */
	return at + 1 < TS_PACKET && packet[at] == packet[at + 1] &&
	       memcmp(packet + at, packet + at + 1, TS_PACKET - 1 - at) == 0;
}

static const struct ts_noted *one_at(const struct ts_duplicates *d,
				     uint64_t i)
{
	return &d->noted[i % TS_DUPLICATES_BACK];
}

/* The number of the newest equal packet before packet `before'; d->n: there is
 * none. */
static uint64_t find(const struct ts_duplicates *d, uint64_t before,
		     uint64_t hash)
{
	for (uint64_t i = before; i > d->oldest; i--)
		if (one_at(d, i - 1)->hash == hash)
			return i - 1;
	return d->n;
}

static bool continues(const struct ts_duplicates *d, const uint8_t *packet)
{
	uint8_t was = d->cc[ts_pid(packet)];

	if (!ts_has_payload(packet))
		/* a packet with a PCR is never equal to another */
		return !(ts_adaptation_flags(packet) & ADAPTATION_PCR);
	return !(was & KNOWN) || ((was + 1) & 0x0f) == ts_cc(packet);
}

/* True if no later packet of the same PID was noted. */
static bool is_last(const struct ts_duplicates *d, uint64_t at)
{
	uint16_t pid = one_at(d, at)->pid;

	for (uint64_t i = at + 1; i < d->n; i++)
		if (one_at(d, i)->pid == pid)
			return false;
	return true;
}

/* Judges a packet whose continuity counter does not continue the last packet:
 * packets were lost, or it is a duplicate, or a repeated packet, perhaps with
 * another PCR. */
static enum ts_duplicate judge(struct ts_duplicates *d, const uint8_t *packet,
			       uint64_t hash)
{
	bool same = ts_has_payload(packet) &&
		    (d->cc[ts_pid(packet)] & 0x0f) == ts_cc(packet);
	bool has_pcr = ts_adaptation_flags(packet) & ADAPTATION_PCR;
	uint64_t copy = find(d, d->n, hash);

	if (same && (copy == d->n ? has_pcr : is_last(d, copy)))
		return TS_REPEATED;
	/* a payload that never changes repeats with continuing counters */
	if (copy < d->n && continues(d, packet) && find(d, copy, hash) < d->n)
		return TS_SINGLE;
	if (copy < d->n && !ts_is_filler(packet)) {
		/* counts the packets in front of this one that equal those in
		 * front of the original */
		if (d->copy == 0)
			while (copy > d->oldest + d->before &&
			       d->n - d->before - 1 > copy &&
			       one_at(d, copy - d->before - 1)->hash ==
				       one_at(d, d->n - d->before - 1)->hash)
				d->before++;
		d->copy = copy + 1;
		return TS_DUPLICATE;
	}
	d->breaks += !continues(d, packet) && ts_has_payload(packet);
	return TS_SINGLE;
}

enum ts_duplicate ts_duplicates_note(struct ts_duplicates *d,
				     const uint8_t *packet, uint64_t hash,
				     uint32_t now_ms)
{
	enum ts_duplicate ret = TS_SINGLE;
	uint16_t ago = (uint16_t)(d->n - d->index[ts_duplicates_slot(hash)]);

	d->before = 0;
	/* packets that are too old, or were overwritten, are not searched */
	while (d->oldest < d->n &&
	       (d->n - d->oldest > TS_DUPLICATES_BACK ||
		now_ms - one_at(d, d->oldest)->at_ms >= TS_DUPLICATES_MS))
		d->oldest++;
	if (ts_tei(packet)) {
		ret = TS_DAMAGED;
	} else if (d->copy > 0 && d->copy < d->n &&
		   one_at(d, d->copy)->hash == hash) {
		d->copy++;
		ret = TS_DUPLICATE;
	} else if (ts_pid(packet) != TS_PID_NULL &&
		   (!continues(d, packet) ||
		    (ts_has_payload(packet) && ago > 0 &&
		     ago <= d->n - d->oldest &&
		     one_at(d, d->n - ago)->hash == hash))) {
		ret = judge(d, packet, hash);
	}
	if (ret != TS_DUPLICATE)
		d->copy = 0;
	if (ret != TS_DUPLICATE && ret != TS_DAMAGED && ts_has_payload(packet))
		d->cc[ts_pid(packet)] = (uint8_t)(KNOWN | ts_cc(packet));
	d->noted[d->n % TS_DUPLICATES_BACK] = (struct ts_noted){
		.hash = hash, .at_ms = now_ms, .pid = ts_pid(packet) };
	d->index[ts_duplicates_slot(hash)] = (uint16_t)d->n++;
	return ret;
}
