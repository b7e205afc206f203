/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/heartbeat.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/supervise/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* --- too many --- */

void pace_start(struct pace *p, uint64_t now_ms)
{
	p->beats_ms = now_ms;
}

bool pace_beat(struct pace *p, uint64_t now_ms)
{
	if (now_ms > p->beats_ms + PACE_BEHIND_MS)
		p->beats_ms = now_ms - PACE_BEHIND_MS;
	p->beats_ms += PACE_BEAT_MS;
	return p->beats_ms <= now_ms + PACE_AHEAD_MS;
}

/* --- none --- */

int cpu_share_read(pid_t pid, struct cpu_share *ret)
{
	struct buf text = { 0 };
	char path[64];
	int r;

	(void)snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	r = procfs_read(path, &text);
	*ret = (struct cpu_share){ .at_ns = mono_ns() };
	if (r == 0 && sscanf((const char *)buf_head(&text),
			     "%" SCNu64 " %" SCNu64, &ret->ran_ns,
			     &ret->waited_ns) != 2)
		r = -ENODATA;
	buf_done(&text);
	return r;
}

bool cpu_share_is_starved(const struct cpu_share *before,
			  const struct cpu_share *now)
{
	const uint64_t enough_ns = CPU_SHARE_ENOUGH_MS * MS;

	return now->at_ns > before->at_ns &&
	       now->waited_ns - before->waited_ns >=
		       (now->at_ns - before->at_ns) / 4 &&
	       now->ran_ns - before->ran_ns < enough_ns;
}

void cpu_watch_begin(struct cpu_watch *w, pid_t pid, const char *missing)
{
	*w = (struct cpu_watch){ .pid = pid, .missing = missing };
	if (cpu_share_read(pid, &w->before) < 0)
		w->before.at_ns = 0;
}

bool cpu_watch_excuses(struct cpu_watch *w, const char *name)
{
	struct cpu_share now;

	if (w->before.at_ns == 0 || cpu_share_read(w->pid, &now) < 0 ||
	    !cpu_share_is_starved(&w->before, &now))
		return false;
	if (!w->logged)
		log_warning(name, "%s: waiting for a processor, the machine is "
			    "overloaded", w->missing);
	w->logged = true;
	return true;
}
