/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/hex.h"
#include "common/base/sorted.h"

#include <criterion/criterion.h>

struct list {
	const int *numbers;
	int wanted;
};

static int order(size_t i, const void *arg)
{
	const struct list *l = arg;

	return l->numbers[i] - l->wanted;
}

Test(sorted, finds_each_and_the_place_of_each_that_is_not_there)
{
	static const int numbers[] = { 10, 20, 30, 40, 50, 60, 70 };

	for (size_t n = 0; n <= 7; n++) {
		for (int wanted = 5; wanted <= 75; wanted += 5) {
			struct list l = { numbers, wanted };
			size_t want = 0, at;
			bool found;

			while (want < n && numbers[want] < wanted)
				want++;
			at = sorted_place(n, order, &l, &found);
			cr_assert_eq(at, want);
			cr_assert_eq(found, want < n &&
						    numbers[want] == wanted);
		}
	}
}

Test(hex, accepts_its_digits_and_no_other_byte)
{
	for (int c = 0; c < 256; c++) {
		int want = c >= '0' && c <= '9'   ? c - '0'
			   : c >= 'a' && c <= 'f' ? c - 'a' + 10
			   : c >= 'A' && c <= 'F' ? c - 'A' + 10
						  : -1;

		cr_assert_eq(hex_digit((char)c), want);
	}
}
