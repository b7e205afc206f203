/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/mount_table.h"

#include "worker/deliver/mount.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const struct lag_kernel kernel = { 4 << 20, 6 << 20 };

static struct mount *make(const char *address, const char *path)
{
	struct msg_deliver_mount name = {
		.address = address, .path = path, .stream = "a001"
	};
	int err = 0;
	struct mount *m = mount_new(
		&(struct mount_config){ .name = &name,
					.ring_fd = ring_create(1, 0),
					.start_ms = 1,
					.kernel = &kernel },
		&err);

	cr_assert_not_null(m, "%d", err);
	return m;
}

Test(mount_table, finds_by_listener_and_path_together)
{
	struct mount_table t = { 0 };
	struct mount *a = make("0.0.0.0:8100", "/news");
	struct mount *b = make("0.0.0.0:8200", "/news");
	struct mount *c = make("0.0.0.0:8100", "/newsroom");

	mount_table_add(&t, a);
	mount_table_add(&t, b);
	mount_table_add(&t, c);
	cr_assert_eq(mount_table_find(&t, "0.0.0.0:8100", "/news"), a);
	cr_assert_eq(mount_table_find(&t, "0.0.0.0:8200", "/news"), b);
	cr_assert_eq(mount_table_find(&t, "0.0.0.0:8100", "/newsroom"), c);
	cr_assert_null(mount_table_find(&t, "0.0.0.0:8200", "/newsroom"));
	cr_assert_null(mount_table_find(&t, "0.0.0.0:8100", "/new"));
	cr_assert_null(mount_table_find(&t, "", ""));
	mount_table_done(&t);
	cr_assert_eq(t.n, 0);
}

Test(mount_table, finds_a_moved_mount_at_its_new_path)
{
	struct mount_table t = { 0 };
	struct mount *a = make("play", "/play/a");
	struct mount *b = make("play", "/play/b");

	mount_table_add(&t, a);
	mount_table_add(&t, b);
	mount_table_move(&t, a, "/play/z");
	cr_assert_null(mount_table_find(&t, "play", "/play/a"));
	cr_assert_eq(mount_table_find(&t, "play", "/play/z"), a);
	cr_assert_eq(mount_table_find(&t, "play", "/play/b"), b);
	cr_assert_str_eq(a->path, "/play/z");
	cr_assert_eq(t.n, 2);
	mount_table_done(&t);
}

Test(mount_table, holds_many_added_and_removed_in_any_order)
{
	enum { N = 500, STEP = 7 }; /* coprime: each number occurs once */
	struct mount_table t = { 0 };
	char path[16];

	for (unsigned i = 0; i < N; i++) {
		(void)snprintf(path, sizeof path, "/%u", i * STEP % N);
		mount_table_add(&t, make("a", path));
	}
	cr_assert_eq(t.n, N);
	for (unsigned i = 0; i < N; i += 2) {
		(void)snprintf(path, sizeof path, "/%u", i);
		mount_table_remove(&t, mount_table_find(&t, "a", path));
	}
	for (unsigned i = 0; i < N; i++) {
		struct mount *m;

		(void)snprintf(path, sizeof path, "/%u", i);
		m = mount_table_find(&t, "a", path);
		cr_assert_eq(m != NULL, i % 2 == 1, "%s", path);
		if (m != NULL)
			cr_assert_str_eq(m->path, path);
	}
	mount_table_done(&t);
}
