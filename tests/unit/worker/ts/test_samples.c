/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Real streams, compared with a second implementation: the results of TSDuck
 * for each sample (NAME.tsp.analyze.json, NAME.tstables.xml) and a plain
 * counter that keeps the whole last packet of each PID. The samples are beside
 * the project; without them the tests are skipped.
 */
#include "common/base/alloc.h"
#include "worker/ts/analyze.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/sync.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MAX = 4 << 20 };

struct sample {
	char *path; /* without ".ts" */
	uint8_t *data;
	size_t len;
};

static glob_t find_samples(void)
{
	const char *srcdir = getenv("srcdir");
	char *pattern = xasprintf("%s/../shared/data/ts/*.ts",
				  srcdir ? srcdir : ".");
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		cr_skip("no samples at %s", pattern);
	free(pattern);
	return found;
}

static struct sample sample_load(const char *path)
{
	struct sample s = { .path = xstrndup(path, strlen(path) - 3),
			    .data = xcalloc(1, SAMPLE_MAX) };
	FILE *f = fopen(path, "rb");

	cr_assert(f, "%s", path);
	s.len = fread(s.data, 1, SAMPLE_MAX, f);
	cr_assert(s.len > 0 && s.len < SAMPLE_MAX, "%s", path);
	fclose(f);
	return s;
}

static void sample_done(struct sample *s)
{
	free(s->path);
	free(s->data);
}

static struct ts_run sample_run(const struct sample *s)
{
	return (struct ts_run){ s->data, s->len / TS_PACKET };
}

/* --- continuity --- */

/* As TSDuck's continuity plugin: with the last packet of each PID.  A damaged
 * packet differs: TR 101 290 5.2.2 allows no further error from it. */
struct plain {
	bool seen[TS_PIDS];
	/* damaged packets since the last packet, with its next counters */
	unsigned damaged[TS_PIDS];
	unsigned repeated[TS_PIDS];
	uint8_t last[TS_PIDS][TS_PACKET];
};

static bool same_packet(const uint8_t *a, const uint8_t *b)
{
	uint64_t pcr;
	size_t behind = ts_pcr(a, &pcr) ? 12 : 6;

	return ts_has_payload(a) && memcmp(a, b, 6) == 0 &&
		memcmp(a + behind, b + behind, TS_PACKET - behind) == 0;
}

/* Whether p is the next packet of its PID if `damaged` of the damaged packets
 * in front of it were packets of the PID, too. */
static bool plain_follows(const struct plain *plain, const uint8_t *p,
			  unsigned damaged)
{
	unsigned own = ts_has_payload(p) ? 1 : 0;

	return ((ts_cc(plain->last[ts_pid(p)]) + damaged + own) & 0x0f) ==
		ts_cc(p);
}

static bool plain_is_error(struct plain *plain, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	uint8_t *last = plain->last[pid];
	unsigned damaged = plain->damaged[pid];
	bool error = false;

	if (pid == TS_PID_NULL)
		return false;
	if (ts_tei(p)) {
		if (plain->seen[pid] && ts_has_payload(p) &&
		    plain_follows(plain, p, damaged))
			plain->damaged[pid]++;
		return false;
	}
	if (plain->seen[pid] && !ts_discontinuity(p)) {
		if (damaged == 0 && same_packet(p, last)) {
			error = ++plain->repeated[pid] > 1;
		} else {
			plain->repeated[pid] = 0;
			error = !plain_follows(plain, p, damaged) &&
				(damaged == 0 ||
				 !plain_follows(plain, p, damaged - 1));
		}
	} else {
		plain->repeated[pid] = 0;
	}
	plain->seen[pid] = true;
	plain->damaged[pid] = 0;
	memcpy(last, p, TS_PACKET);
	return error;
}

/* Both counters over packets of which some are dropped, sent again or sent
 * late; seed 0 leaves them as they are. */
static void compare_counters(const struct sample *s, uint32_t seed)
{
	struct ts_run run = sample_run(s);
	struct plain *plain = xcalloc(1, sizeof *plain);
	struct cc *cc = xcalloc(1, sizeof *cc);
	unsigned errors = 0, plain_errors = 0;
	uint32_t random = seed;

	for (size_t i = 0; i < run.n; i++) {
		size_t at = i;
		int times = 1;

		random = random * 1664525 + 1013904223;
		if (seed > 0 && (random >> 20) % 64 == 0) {
			times = (int)(random >> 28) % 4; /* 0 to 3 */
			at += (random >> 18) % 2;
		}
		if (at >= run.n)
			break;
		for (; times > 0; times--) {
			const uint8_t *p = run.data + at * TS_PACKET;

			errors += cc_feed(cc, p) == CC_ERROR;
			plain_errors += plain_is_error(plain, p);
		}
	}
	cr_expect_eq(errors, plain_errors, "%s, seed %u: %u errors, not %u",
		     s->path, seed, errors, plain_errors);
	cr_expect(seed == 0 || plain_errors > 0 || run.n < 100);
	free(plain);
	free(cc);
}

Test(samples, have_the_continuity_errors_of_a_full_comparison)
{
	glob_t found = find_samples();

	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct sample s = sample_load(found.gl_pathv[i]);

		for (uint32_t seed = 0; seed < 4; seed++)
			compare_counters(&s, seed);
		sample_done(&s);
	}
	globfree(&found);
}

/* --- the report of the second implementation --- */

static int64_t integer(const json_t *root, const char *a, const char *b)
{
	const json_t *v = json_object_get(root, a);

	if (b)
		v = json_object_get(v, b);
	cr_assert(json_is_number(v), "%s.%s", a, b ? b : "");
	return (int64_t)json_number_value(v);
}

static void compare_pids(const struct sample *s, const struct psi *psi,
			 const json_t *pids)
{
	struct ts_run run = sample_run(s);
	uint32_t packets[TS_PIDS] = { 0 }, total = 0;
	const json_t *pid;
	size_t i;

	for (i = 0; i < run.n; i++)
		packets[ts_pid(run.data + i * TS_PACKET)]++;
	json_array_foreach(pids, i, pid) {
		uint16_t id = (uint16_t)integer(pid, "id", NULL);
		enum pid_class class = psi_class(psi, id);
		bool video = json_is_true(json_object_get(pid, "video"));
		bool audio = json_is_true(json_object_get(pid, "audio"));

		cr_expect_eq(packets[id], integer(pid, "packets", "total"),
			     "%s: PID %u", s->path, id);
		cr_expect_eq(class == PID_VIDEO, video, "%s: PID %u is %d",
			     s->path, id, (int)class);
		cr_expect_eq(class == PID_AUDIO, audio, "%s: PID %u is %d",
			     s->path, id, (int)class);
		total += packets[id];
	}
	cr_expect_eq(total, run.n, "%s: a PID is missing", s->path);
}

static void compare_services(const struct sample *s, const struct psi *psi,
			     const json_t *services)
{
	const struct psi_program *programs;
	const json_t *service, *pid;
	size_t i, k;

	cr_expect_eq(psi_programs(psi, &programs), json_array_size(services));
	json_array_foreach(services, i, service) {
		const struct psi_program *p = psi_program_find(
			psi, (uint16_t)integer(service, "id", NULL));

		cr_assert(p, "%s: program %zu", s->path, i);
		cr_expect_eq(p->pmt_pid, integer(service, "pmt-pid", NULL));
		if (json_object_get(service, "pcr-pid"))
			cr_expect_eq(p->pcr_pid,
				     integer(service, "pcr-pid", NULL));
		else
			cr_expect_eq(p->pcr_pid, TS_PID_NULL);
		json_array_foreach(json_object_get(service, "pids"), k, pid) {
			uint16_t id = (uint16_t)json_integer_value(pid);

			cr_expect(id == p->pcr_pid ||
				  psi_class(psi, id) != PID_UNKNOWN,
				  "%s: PID %u", s->path, id);
		}
	}
}

/* The mean of the rates between PCRs, as TSDuck computes it. */
static double mean_bps(struct ts_run run)
{
	struct pcr_clock clock;
	double sum = 0;
	unsigned n = 0;

	pcr_clock_init(&clock, TS_PID_NULL);
	for (size_t i = 0; i < run.n; i++) {
		if (!pcr_clock_feed(&clock, run.data + i * TS_PACKET))
			continue;
		sum += (double)pcr_clock_bps(&clock);
		n++;
	}
	return n > 0 ? sum / n : 0;
}

static void compare_report(const struct sample *s, const json_t *root)
{
	const json_t *ts = json_object_get(root, "ts");
	const json_t *pids = json_object_get(root, "pids"), *pid;
	struct ts_run run = sample_run(s);
	struct analyze *a = analyze_new(&(struct analyze_config){ 0 });
	struct analyze_report r;
	int64_t cc_error = 0, sc_error = 0, pes_error = 0;
	double bps = (double)integer(ts, "pcr-bitrate", NULL);
	size_t i;

	analyze_feed(a, run);
	analyze_every_second(a, 1000, &r);
	json_array_foreach(pids, i, pid) {
		cc_error += integer(pid, "packets", "discontinuities");
		sc_error += integer(pid, "packets", "scrambled");
		if (json_object_get(pid, "invalid-pes-prefix"))
			pes_error += integer(pid, "invalid-pes-prefix", NULL);
	}
	cr_expect_eq(r.packets, integer(ts, "packets", "total"));
	cr_expect_eq(r.tei, integer(ts, "packets", "transport-errors"));
	cr_expect_eq(r.cc_error, cc_error, "%s: %u", s->path, r.cc_error);
	cr_expect_eq(r.sc_error, sc_error, "%s: %u", s->path, r.sc_error);
	cr_expect_eq(r.pes_error, pes_error, "%s: %u", s->path, r.pes_error);
	cr_expect_eq(psi_tsid(analyze_psi(a)), integer(ts, "id", NULL));
	cr_expect(fabs(mean_bps(run) - bps) <= bps / 10000,
		  "%s: %f bit/s, not %f", s->path, mean_bps(run), bps);
	compare_pids(s, analyze_psi(a), pids);
	compare_services(s, analyze_psi(a), json_object_get(root, "services"));
	analyze_free(&a);
}

Test(samples, agree_with_the_report_of_a_second_implementation)
{
	glob_t found = find_samples();
	unsigned compared = 0;

	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct sample s = sample_load(found.gl_pathv[i]);
		char *path = xasprintf("%s.tsp.analyze.json", s.path);
		json_t *root = json_load_file(path, 0, NULL);

		if (root) {
			compare_report(&s, root);
			compared++;
		}
		json_decref(root);
		free(path);
		sample_done(&s);
	}
	cr_expect_gt(compared, 0);
	globfree(&found);
}

/* --- its tables --- */

/* The number of attribute name in the XML element at text; -1 when it has no
 * such attribute. */
static long attribute(const char *text, const char *name)
{
	char key[64];
	const char *end = strchr(text, '>');

	snprintf(key, sizeof key, " %s=\"", name);

	const char *at = strstr(text, key);

	if (!at || at > end)
		return -1;
	return strtol(at + strlen(key), NULL, 0);
}

static void compare_components(const struct sample *s, const struct psi *psi,
			       const char *table, const char *end)
{
	const struct psi_program *p = psi_program_find(
		psi, (uint16_t)attribute(table, "service_id"));
	const char *c = table;
	struct pmt pmt;
	size_t n = 0;

	cr_assert(p && p->pmt.data, "%s", s->path);
	cr_assert_eq(pmt_decode(p->pmt.data, p->pmt.len, &pmt), 0);
	cr_expect_eq(pmt.version, attribute(table, "version"));
	if (attribute(table, "PCR_PID") >= 0)
		cr_expect_eq(pmt.pcr_pid, attribute(table, "PCR_PID"));
	while ((c = strstr(c + 1, "<component ")) && c < end) {
		cr_assert_lt(n, pmt.n_streams, "%s", s->path);
		cr_expect_eq(pmt.streams[n].pid,
			     attribute(c, "elementary_PID"));
		cr_expect_eq(pmt.streams[n].type,
			     attribute(c, "stream_type"));
		n++;
	}
	cr_expect_eq(n, pmt.n_streams, "%s: %zu", s->path, n);
}

static void compare_tables(const struct sample *s, char *xml)
{
	struct analyze *a = analyze_new(&(struct analyze_config){ 0 });
	const struct psi *psi = analyze_psi(a);
	const char *pat = strstr(xml, "<PAT "), *at = xml;
	unsigned n_pmt = 0;

	analyze_feed(a, sample_run(s));
	cr_assert(pat, "%s", s->path);
	cr_expect_eq(psi_tsid(psi), attribute(pat, "transport_stream_id"));
	while ((at = strstr(at + 1, "<service "))) {
		const struct psi_program *p = psi_program_find(
			psi, (uint16_t)attribute(at, "service_id"));

		if (attribute(at, "program_map_PID") < 0)
			continue;
		cr_assert(p, "%s", s->path);
		cr_expect_eq(p->pmt_pid, attribute(at, "program_map_PID"));
	}
	at = xml;
	while ((at = strstr(at + 1, "<PMT "))) {
		const char *end = strstr(at, "</PMT>");

		compare_components(s, psi, at, end ? end : at + strlen(at));
		n_pmt++;
	}
	cr_expect_gt(n_pmt, 0, "%s", s->path);
	analyze_free(&a);
}

Test(samples, have_the_tables_of_a_second_implementation)
{
	glob_t found = find_samples();
	unsigned compared = 0;

	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct sample s = sample_load(found.gl_pathv[i]);
		char *path = xasprintf("%s.tstables.xml", s.path);
		FILE *f = fopen(path, "rb");

		if (f) {
			char *xml = xcalloc(1, 1 << 20);

			cr_assert_gt(fread(xml, 1, (1 << 20) - 1, f), 0);
			fclose(f);
			compare_tables(&s, xml);
			free(xml);
			compared++;
		}
		free(path);
		sample_done(&s);
	}
	cr_expect_gt(compared, 0);
	globfree(&found);
}

/* --- scrambling --- */

Test(samples, a_scrambled_service_is_off_air_and_its_clear_form_is_on)
{
	static const char *const names[] = { "test-026.csa.ts",
					     "test-026.decsa.ts" };
	glob_t found = find_samples();
	unsigned seen = 0;

	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;
		bool scrambled = strcmp(name, names[0]) == 0;
		struct analyze_report r;

		if (!scrambled && strcmp(name, names[1]) != 0)
			continue;

		struct sample s = sample_load(found.gl_pathv[i]);
		struct analyze *a = analyze_new(&(struct analyze_config){ 0 });

		analyze_feed(a, sample_run(&s));
		analyze_every_second(a, 1000, &r);
		cr_expect_eq(r.scrambled, scrambled, "%s", name);
		cr_expect_eq(r.sc_error > 0, scrambled);
		cr_expect_eq(r.onair, !scrambled);
		cr_expect_eq(r.pes_error, 0);
		analyze_free(&a);
		sample_done(&s);
		seen++;
	}
	cr_expect_eq(seen, 2);
	globfree(&found);
}

/* --- readers of any kind --- */

Test(samples, are_found_wherever_the_bytes_are_cut)
{
	static const size_t pieces[] = { 1316, 1000, 4096, 65536 };
	glob_t found = find_samples();

	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct sample s = sample_load(found.gl_pathv[i]);

		for (size_t k = 0; k < 4; k++) {
			struct ts_sync sync;
			struct ts_run run;
			size_t n = 0;

			ts_sync_init(&sync, TS_SYNC_STREAM);
			for (size_t at = 0; at < s.len; at += pieces[k]) {
				size_t left = s.len - at;

				ts_sync_push(&sync, s.data + at,
					     left < pieces[k] ? left
							      : pieces[k]);
				while (ts_sync_pull(&sync, &run)) {
					cr_assert_eq(memcmp(run.data, s.data +
						n * TS_PACKET,
						run.n * TS_PACKET), 0);
					n += run.n;
				}
			}
			cr_expect_eq(n, s.len / TS_PACKET, "%s", s.path);
		}
		sample_done(&s);
	}
	globfree(&found);
}
