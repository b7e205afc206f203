/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target over its samples without a fuzzer: TAP, a line per file.
 *
 * Each sample is given whole, cut short, and with single bytes changed, so
 * that a build without libFuzzer still looks around each sample a little.
 * Files named on the command line are given as they are.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SAMPLE_MAX = 1 << 20,
	CUTS = 64,
	CHANGES = 256,
};

unsigned replay_part __attribute__((weak)) = 1;

static int is_sample(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static uint8_t *read_file(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(SAMPLE_MAX);

	if (!f || !data) {
		printf("Bail out! %s cannot be read\n", path);
		exit(1);
	}
	*ret_len = fread(data, 1, SAMPLE_MAX, f);
	fclose(f);
	return data;
}

/* In memory of exactly len bytes, so that a sanitizer sees the first byte read
 * too much. */
static void run_exact(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	memcpy(copy, data, len);
	(void)LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static void run_around(uint8_t *data, size_t len)
{
	uint32_t random = 1;

	for (size_t i = 0; i < CUTS; i += replay_part)
		run_exact(data, len * i / CUTS);
	for (size_t i = 0; i < CHANGES && len > 0; i += replay_part) {
		random = random * 1664525 + 1013904223;

		size_t at = (random >> 8) % len;
		uint8_t was = data[at];

		data[at] = (uint8_t)(random >> 24);
		run_exact(data, len);
		data[at] = was;
	}
}

static void replay(const char *path, int number, int around)
{
	size_t len;
	uint8_t *data = read_file(path, &len);

	run_exact(data, len);
	if (around)
		run_around(data, len);
	free(data);
	printf("ok %d - %s\n", number, basename(path));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir");
	const char *name = strstr(argv[0], "fuzz_");
	struct dirent **samples;
	char folder[4096], path[4096 + 256];

	if (argc > 1) {
		printf("1..%d\n", argc - 1);
		for (int i = 1; i < argc; i++)
			replay(argv[i], i, 0);
		return 0;
	}
	for (const char *next = name; next; next = strstr(next + 1, "fuzz_"))
		name = next;
	snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s",
		 srcdir ? srcdir : ".", name ? name + strlen("fuzz_") : "");

	int n = scandir(folder, &samples, is_sample, alphasort);

	if (n <= 0) {
		printf("Bail out! no samples in %s\n", folder);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s", folder,
			 samples[i]->d_name);
		replay(path, i + 1, 1);
		free(samples[i]);
	}
	free(samples);
	return 0;
}
