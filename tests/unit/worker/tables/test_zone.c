/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/country.h"
#include "worker/tables/zone.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const zones[] = {
	"Europe/Berlin", "Europe/Moscow", "America/New_York",
	"Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca",
	"America/Sao_Paulo", "Europe/Dublin", "UTC", "Pacific/Chatham",
};

static size_t load(const char *name, uint8_t *ret, size_t size)
{
	char path[256];
	size_t n;
	FILE *f;

	(void)snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
	f = fopen(path, "rb");
	if (f == NULL)
		return 0;
	n = fread(ret, 1, size, f);
	(void)fclose(f);
	return n;
}

static long offset_of(time_t t)
{
	struct tm tm;

	localtime_r(&t, &tm);
	return tm.tm_gmtoff;
}

/* The C library is the other reader of the same files. */
Test(zone, agrees_with_the_c_library_now_and_at_the_next_change)
{
	static uint8_t file[65536];

	for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
		size_t len = load(zones[i], file, sizeof file);

		if (len == 0)
			continue;
		setenv("TZ", zones[i], 1);
		tzset();
		/* 2001 to 2064, in steps of about 40 days */
		for (time_t t = 978307200; t < 2966371200; t += 3456789) {
			struct zone_offset z;

			cr_assert_eq(zone_at(file, len, t, &z), 0);
			cr_assert_eq(z.offset_s, offset_of(t), "%s at %ld",
				     zones[i], (long)t);
			if (z.change_at == 0)
				continue;
			cr_assert_gt(z.change_at, t);
			cr_assert_eq(offset_of(z.change_at - 1), z.offset_s,
				     "%s before %ld", zones[i],
				     (long)z.change_at);
			cr_assert_eq(offset_of(z.change_at), z.next_s);
		}
	}
}

Test(zone, reads_rules_of_all_forms)
{
	static const struct {
		const char *rule;
		int64_t at;
		int offset_s;
		int64_t change_at;
	} list[] = {
		/* 2026-11-26 12:00:00; 2027-03-28 01:00:00 */
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1795694400, 3600, 1806195600 },
		{ "<+03>-3", 1795694400, 10800, 0 },
		{ "IST-1GMT0,M10.5.0,M3.5.0/1", 1795694400, 0, 1806195600 },
		/* day 60 is 1 March in every year: 2027-03-01 02:00:00 */
		{ "AAA0BBB,J60,J300", 1795694400, 0, 1803866400 },
		/* day 59 counts 29 February: 2028-02-29 02:00:00 */
		{ "AAA0BBB,59,300", 1835300000, 0, 1835402400 },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct zone_offset z;

		cr_assert_eq(zone_rule_at(list[i].rule, list[i].at, &z), 0);
		cr_expect_eq(z.offset_s, list[i].offset_s, "%s: %d",
			     list[i].rule, z.offset_s);
		cr_expect_eq(z.change_at, list[i].change_at, "%s: %ld",
			     list[i].rule, (long)z.change_at);
	}
}

Test(zone, rejects_malformed_rules)
{
	static const char *const list[] = {
		"", "CE-1", "CET", "CET-", "CET-1CEST", "CET-1CEST,M3",
		"CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
		"CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1", "<CET-1",
		"CET-1CEST,M3.5.0,M10.5.0/3x", "CET-168", "CET-1:60",
		"CET-1CEST,366,1", "CET-99999999999",
	};
	struct zone_offset z;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		cr_expect_lt(zone_rule_at(list[i], 1795694400, &z), 0, "%s",
			     list[i]);
}

Test(zone, rejects_a_file_that_is_cut_anywhere)
{
	static uint8_t file[65536];
	size_t len = load("Europe/Berlin", file, sizeof file);
	struct zone_offset z;

	for (size_t n = 0; n < len; n++) {
		uint8_t *copy = malloc(n + 1);

		memcpy(copy, file, n);
		cr_expect_lt(zone_at(copy, n, 1795694400, &z), 0, "%zu", n);
		free(copy);
	}
}

Test(zone, survives_any_changed_byte)
{
	static uint8_t file[65536];
	size_t len = load("Europe/Berlin", file, sizeof file);
	struct zone_offset z;

	for (size_t i = 0; i < len; i++) {
		uint8_t before = file[i];

		file[i] ^= 0xff;
		(void)!zone_at(file, len, 1795694400, &z);
		file[i] = before;
	}
}

Test(country, is_that_of_the_zone)
{
	static const char list[] =
		"# comment\nDE\t+5230+01322\tEurope/Berlin\tmost of Germany\n"
		"XX\t+0000+00000\tNo/Where\nFR\t+4852+00220\tEurope/Paris";
	char code[4];

	cr_assert(country_of_zone(list, sizeof list - 1, "Europe/Berlin",
				  code));
	cr_expect_str_eq(code, "DEU");
	cr_assert(country_of_zone(list, sizeof list - 1, "Europe/Paris",
				  code));
	cr_expect_str_eq(code, "FRA");
	cr_expect_not(country_of_zone(list, sizeof list - 1, "Europe/Ber",
				      code));
	cr_expect_not(country_of_zone(list, sizeof list - 1, "No/Where",
				      code));
}
