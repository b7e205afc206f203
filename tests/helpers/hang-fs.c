/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file system that stops answering on request, like a lost server behind a
 * network mount.
 *
 *	hang-fs FOLDER FILE SIGN
 *
 * Mounts itself at FOLDER, with one file "clip.ts", the contents of FILE, of
 * which the kernel keeps nothing.  As long as there is a file SIGN no question
 * is answered.  Prints "ready"; ends with its standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOT = FUSE_ROOT_ID, CLIP, QUESTION_MAX = 1 << 17 };

static const char name[] = "clip.ts";

struct fs {
	int fuse, file;
	const char *sign;
};

static void answer(const struct fs *fs, const struct fuse_in_header *q,
		   int error, const void *data, size_t len)
{
	static char buffer[QUESTION_MAX + sizeof(struct fuse_out_header)];
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof head + len),
		.error = error,
		.unique = q->unique,
	};

	memcpy(buffer, &head, sizeof head);
	if (len > 0)
		memcpy(buffer + sizeof head, data, len);
	/* the client may have been killed meanwhile */
	(void)!write(fs->fuse, buffer, head.len);
}

static struct fuse_attr attr_of(const struct fs *fs, uint64_t node)
{
	struct stat st;

	if (fstat(fs->file, &st) < 0)
		exit(1);
	return (struct fuse_attr){
		.ino = node,
		.size = node == CLIP ? (uint64_t)st.st_size : 0,
		.mode = node == CLIP ? S_IFREG | 0444 : S_IFDIR | 0555,
		.nlink = 1,
	};
}

static void look_up(const struct fs *fs, const struct fuse_in_header *q)
{
	struct fuse_entry_out entry = { .nodeid = CLIP };

	if (strcmp((const char *)(q + 1), name) != 0) {
		answer(fs, q, -ENOENT, NULL, 0);
		return;
	}
	entry.attr = attr_of(fs, CLIP);
	answer(fs, q, 0, &entry, sizeof entry);
}

static void read_file(const struct fs *fs, const struct fuse_in_header *q)
{
	static char data[QUESTION_MAX];
	const struct fuse_read_in *in = (const void *)(q + 1);
	size_t size = in->size < sizeof data ? in->size : sizeof data;
	ssize_t n = pread(fs->file, data, size, (off_t)in->offset);

	answer(fs, q, n < 0 ? -errno : 0, data, n < 0 ? 0 : (size_t)n);
}

static void serve(const struct fs *fs, const struct fuse_in_header *q)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = 4096,
	};
	struct fuse_attr_out attr = { .attr = attr_of(fs, q->nodeid) };
	struct fuse_open_out open_out = { .open_flags = FOPEN_DIRECT_IO };

	switch (q->opcode) {
	case FUSE_INIT:
		answer(fs, q, 0, &init, sizeof init);
		break;
	case FUSE_LOOKUP:
		look_up(fs, q);
		break;
	case FUSE_GETATTR:
		answer(fs, q, 0, &attr, sizeof attr);
		break;
	case FUSE_OPEN:
		answer(fs, q, 0, &open_out, sizeof open_out);
		break;
	case FUSE_READ:
		read_file(fs, q);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		answer(fs, q, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fs, q, -ENOSYS, NULL, 0);
		break;
	}
}

static void wait_for_sign(const struct fs *fs)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };

	while (access(fs->sign, F_OK) == 0)
		if (poll(&in, 1, 10) > 0)
			exit(0);
}

int main(int argc, char **argv)
{
	static _Alignas(8) char question[QUESTION_MAX];
	struct fs fs;
	char options[128];

	if (argc != 4)
		return 2;
	fs.fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	fs.file = open(argv[2], O_RDONLY | O_CLOEXEC);
	fs.sign = argv[3];
	(void)snprintf(options, sizeof options,
		       "fd=%d,rootmode=40000,user_id=%u,group_id=%u,"
		       "allow_other", fs.fuse, getuid(), getgid());
	if (fs.fuse < 0 || fs.file < 0 ||
	    mount("hang-fs", argv[1], "fuse", MS_RDONLY, options) < 0) {
		(void)printf("%s\n", strerror(errno));
		return 1;
	}
	(void)printf("ready\n");
	(void)fflush(stdout);
	for (;;) {
		struct pollfd fds[] = { { .fd = 0, .events = POLLIN },
					{ .fd = fs.fuse, .events = POLLIN } };

		if (poll(fds, 2, -1) < 0 || fds[0].revents != 0)
			return 0;
		if (read(fs.fuse, question, sizeof question) <= 0)
			continue;
		wait_for_sign(&fs);
		serve(&fs, (const void *)question);
	}
}
