/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as one section of a source, through each of the builders:
 * their output has the right CRC_32, fits, and can be read again.
 */
#include "common/base/crc32.h"
#include "tests/fuzz/fuzz.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/sdt_build.h"
#include "worker/remux/si_versions.h"

#include <stdlib.h>
#include <string.h>

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void expect_section(const uint8_t *s, size_t len)
{
	expect(len >= 12 && len <= SECTION_PSI_MAX);
	expect(section_length(s) == len);
	expect(crc32_mpeg(s, len) == 0);
}

static void set_options(struct remux_options *o, unsigned flags)
{
	o->pass_data = flags & 1;
	o->pass_ca = flags & 2;
	o->set_pcr_pid = flags & 4 ? 0x101 : 0;
	o->n_order = flags & 8 ? 2 : 0;
	o->order[0] = 0x103;
	o->order[1] = 0x101;
	if (flags & 16)
		o->languages[o->n_languages++] =
			(struct pid_language){ 0x102, "eng" };
	if (flags & 32) {
		o->maps[o->n_maps++] = (struct pid_map){
			.what = MAP_AUDIO, .pid = 0x101 };
		o->maps[o->n_maps++] = (struct pid_map){
			.what = MAP_PID, .source_pid = 0x150, .pid = 0x102 };
	}
	if (flags & 64)
		memcpy(o->hbbtv_url, "http://a/", 10);
	if (flags & 128)
		memcpy(o->service_name, "Name", 5);
}

static void try_pmt(const struct remux_options *o, const uint8_t *data,
		    size_t size)
{
	static const struct ids ids = { 1, 2, 3, 4, 0, 0, false };
	static struct selection sel;
	static struct pid_plan plan;
	static struct pmt pmt;
	struct pmt_omitted omitted;
	uint8_t made[SECTION_PSI_MAX];
	size_t len;

	if (selection_make(&sel, o, data, size) < 0)
		return;
	pid_plan_init(&plan, NULL);
	pid_plan_map(&plan, o, &sel, 0x100);
	pid_plan_keep(&plan, o, &sel, 0x100);
	if (o->hbbtv_url[0] != '\0')
		pid_plan_add_ait(&plan, o);
	pid_plan_move(&plan, o, &sel, 0x100);
	len = pmt_build(&(struct pmt_content){
		.options = o, .selection = &sel, .plan = &plan, .ids = &ids,
		.pmt_pid = 0x100 }, made, &omitted);
	expect_section(made, len);
	expect(pmt_decode(made, len, &pmt) == 0);
	expect(pmt.program == 4);
}

static void try_ids(int rewrite(const struct ids *, uint8_t *, size_t),
		    const uint8_t *data, size_t size)
{
	static const struct ids ids = { 1, 2, 3, 4, 0, 0, false };
	uint8_t *copy;

	if (size < 12 || size > SECTION_MAX)
		return;
	copy = malloc(size);
	if (copy == NULL)
		abort();
	memcpy(copy, data, size);
	if (rewrite(&ids, copy, size) == 0)
		expect(crc32_mpeg(copy, size) == 0);
	free(copy);
}

/* The same section from one source and the other, in a memory of any kind. */
static void try_versions(const uint8_t *data, size_t size)
{
	static struct si_versions si;
	uint8_t *copy;

	if (size == 0)
		return;
	copy = malloc(size);
	if (copy == NULL)
		abort();
	for (uint32_t source = 1; source <= 2; source++) {
		memcpy(copy, data, size);
		si_versions_begin(&si, source);
		si_versions_apply(&si, source, 0, copy, size);
		expect(size < 12 || memcmp(copy, data, 5) == 0);
	}
	if (size >= sizeof si.tables[0])
		memcpy(&si.tables[data[0]], data, sizeof si.tables[0]);
	free(copy);
}

static void try_sdt(const struct remux_options *o, const uint8_t *data,
		    size_t size)
{
	static const struct ids ids = { 1, 2, 3, 4, 0, 0, false };
	uint8_t made[SECTION_PSI_MAX];
	struct sdt_omitted omitted;
	struct sdt_service s, out;
	size_t len;

	if (size < 12 || !sdt_find(data, size, 3, &s))
		return;
	len = sdt_build(&(struct sdt_content){ .options = o, .ids = &ids,
					       .source = &s,
					       .has_video = true },
			made, &omitted);
	expect_section(made, len);
	expect(sdt_find(made, len, 4, &out));
}

static void try_cat(const struct remux_options *o, const uint8_t *data,
		    size_t size)
{
	static struct pid_plan plan;
	uint8_t made[SECTION_PSI_MAX];
	struct desc_loop loop;
	size_t len;

	pid_plan_init(&plan, NULL);
	for (uint16_t pid = 0x150; pid < 0x160; pid++)
		pid_plan_add(&plan, o, pid);
	len = cat_build(o, &plan, data, size, made);
	if (len == 0)
		return;
	expect_section(made, len);
	expect(cat_loop(made, len, &loop));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct remux_options o = { 0 };
	uint8_t *copy;

	if (size < 2)
		return 0;
	set_options(&o, data[0]);
	/* memory that ends where the section does */
	copy = malloc(size - 1);
	if (copy == NULL)
		abort();
	memcpy(copy, data + 1, size - 1);
	try_pmt(&o, copy, size - 1);
	try_sdt(&o, copy, size - 1);
	try_cat(&o, copy, size - 1);
	try_ids(ids_rewrite_eit, copy, size - 1);
	try_ids(ids_rewrite_sdt, copy, size - 1);
	try_ids(ids_rewrite_nit, copy, size - 1);
	try_versions(copy, size - 1);
	free(copy);
	return 0;
}
