/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a file of packets to a device in a loop, paced by the clock.
 *
 *	tsfeed FILE DEVICE KBIT_PER_S SECONDS
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { PACKET = 188, CHUNK = 50 * PACKET };

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sleep_for(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	(void)nanosleep(&t, NULL);
}

/* False: the device is gone. */
static int write_chunk(int from, int to, double *sent)
{
	static uint8_t data[CHUNK];
	ssize_t n = read(from, data, sizeof data);

	if (n < PACKET)
		return lseek(from, 0, SEEK_SET) == 0;
	n -= n % PACKET;
	*sent += (double)n;
	return write(to, data, (size_t)n) >= 0;
}

int main(int argc, char **argv)
{
	int from, to;
	double rate, end, begin, sent = 0;

	if (argc != 5) {
		(void)fprintf(stderr, "usage: tsfeed FILE DEVICE KBIT_PER_S "
			      "SECONDS\n");
		return 2;
	}
	from = open(argv[1], O_RDONLY | O_CLOEXEC);
	to = open(argv[2], O_WRONLY | O_CLOEXEC);
	if (from < 0 || to < 0) {
		perror("tsfeed");
		return 1;
	}
	rate = strtod(argv[3], NULL) * 125;
	begin = now();
	end = begin + strtod(argv[4], NULL);
	while (now() < end) {
		double early = sent / rate - (now() - begin);

		if (early > 0) {
			sleep_for(early);
		} else if (!write_chunk(from, to, &sent)) {
			perror("tsfeed: write");
			return 1;
		}
	}
	return 0;
}
