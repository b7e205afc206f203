/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the guide says about the streams of nit_other, also when it starts
 * again. */
#include "worker/stream/other_guides.h"

#include "proto/ipc/msg.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	NOON_S = 1548158400,
	HOUR_S = 3600,
	FLAGS_AT = EIT_EVENT_HEAD - 2,
	FREE = 0x91, SCRAMBLED = 0x31, NOT_LISTED = 0, /* status */
};

/* A service of the guide; flags: of its event, if has_event. */
struct entry {
	uint16_t number;
	uint8_t status;
	bool has_event;
	uint8_t flags;
};

static struct other_guides g;

static void list(uint16_t key_onid)
{
	other_guides_begin(&g);
	other_guides_add(&g, "b", 7, key_onid);
	other_guides_end(&g);
}

static void init(uint16_t key_onid)
{
	other_guides_init(&g);
	list(key_onid);
}

static unsigned give(uint16_t onid, const struct entry *list, size_t n)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct msg_stream_guide m = { .stream = "b" };
	struct buf b = { 0 };
	unsigned changes;

	eit_image_begin(&b, onid, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		const uint8_t bytes[EIT_EVENT_HEAD] = {
			0, 1, [FLAGS_AT] = list[i].flags };

		eit_image_service(&b, list[i].number, list[i].status,
				  list[i].has_event);
		if (list[i].has_event)
			eit_image_event(&b, &(struct eit_item){
				NOON_S, HOUR_S, sizeof bytes, bytes });
	}
	cr_assert_eq(write(fd, buf_head(&b), buf_len(&b)),
		     (ssize_t)buf_len(&b));
	m.len = (uint32_t)buf_len(&b);
	changes = other_guides_take(&g, &m, fd);
	(void)close(fd);
	buf_done(&b);
	return changes;
}

static unsigned status_of(uint16_t number)
{
	const struct eit_image *image = g.list[0].image;
	size_t place = eit_image_place(image, number);

	cr_assert_lt(place, EIT_IMAGE_SERVICES_MAX, "%u", number);
	return eit_image_status(image, place);
}

static struct eit_items events_of(uint16_t number)
{
	return eit_image_find(g.list[0].image, number, false);
}

static const struct entry with_sdt[] = {
	{ 21, FREE, true, 0 }, { 22, SCRAMBLED, true, 0x10 },
	{ 23, SCRAMBLED, false, 0 },
};

/* The events as they were saved; that of 22 is one of XMLTV. */
static const struct entry without_sdt[] = {
	{ 21, NOT_LISTED, true, 0 }, { 22, NOT_LISTED, true, 0 },
};

Test(other_guides, without_an_sdt_keep_the_original_network)
{
	init(0);
	cr_expect_eq(give(0x85, with_sdt, 3),
		     OTHER_GUIDE_TAKEN | OTHER_GUIDE_ONID);
	cr_expect_eq(give(0, without_sdt, 2), OTHER_GUIDE_TAKEN);
	cr_expect_eq(g.list[0].onid, 0x85);
	/* also that of a new list, and of a second start */
	list(0);
	cr_expect_eq(g.list[0].onid, 0x85);
	cr_expect_eq(give(0, NULL, 0), OTHER_GUIDE_TAKEN);
	cr_expect_eq(g.list[0].onid, 0x85);
	cr_expect_eq(give(0x86, with_sdt, 3),
		     OTHER_GUIDE_TAKEN | OTHER_GUIDE_ONID);
	cr_expect_eq(g.list[0].onid, 0x86);
	other_guides_done(&g);
}

Test(other_guides, without_an_sdt_keep_the_status_of_their_services)
{
	static const struct entry changed[] = {
		{ 21, SCRAMBLED, true, 0 }, { 22, NOT_LISTED, true, 0 },
	};

	init(0);
	(void)give(0x85, with_sdt, 3);
	(void)give(0, without_sdt, 2);
	cr_expect_eq(status_of(21), FREE);
	cr_expect_eq(status_of(22), SCRAMBLED);
	cr_expect_eq(status_of(23), SCRAMBLED);
	cr_expect(other_guides_complete(&g));
	/* the SDT decides as soon as the guide has one */
	(void)give(0x85, changed, 2);
	cr_expect_eq(status_of(21), SCRAMBLED);
	cr_expect_eq(status_of(22), NOT_LISTED);
	cr_expect_eq(eit_image_services(g.list[0].image), 2);
	other_guides_done(&g);
}

Test(other_guides, without_an_sdt_keep_the_content_of_their_services)
{
	uint64_t serials[3];

	init(0);
	(void)give(0x85, with_sdt, 3);
	for (uint16_t i = 0; i < 3; i++)
		serials[i] = events_of((uint16_t)(21 + i)).serial;
	(void)give(0, without_sdt, 2);
	for (uint16_t i = 0; i < 3; i++)
		cr_expect_eq(events_of((uint16_t)(21 + i)).serial, serials[i],
			     "%u", i);
	cr_expect_eq(events_of(21).list[0].bytes[FLAGS_AT], 0);
	cr_expect_eq(events_of(22).list[0].bytes[FLAGS_AT], 0x10);
	/* another status is another content */
	(void)give(0x85, &(struct entry){ 21, SCRAMBLED, true, 0 }, 1);
	cr_expect_neq(events_of(21).serial, serials[0]);
	other_guides_done(&g);
}

Test(other_guides, have_networks_from_keys_or_from_an_sdt)
{
	init(9);
	cr_expect(other_guides_have_networks(&g));
	list(0);
	cr_expect_not(other_guides_have_networks(&g));
	(void)give(0, without_sdt, 2);
	cr_expect_not(other_guides_have_networks(&g));
	(void)give(0x85, with_sdt, 3);
	cr_expect(other_guides_have_networks(&g));
	other_guides_done(&g);
}
