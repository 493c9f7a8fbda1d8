/* Reading by a format from bytes that are there already. The bytes are the buffer of a stream of musl's, which has
 * nothing to read when they are used up. */
#include "stdio_impl.h"

static size_t nothing(FILE *f, unsigned char *to, size_t n)
{
	f->flags |= F_EOF;
	return 0;
}

int __whet_scan(const unsigned char *text, size_t size, size_t *used, _Bool *ended, const char *format, va_list list)
{
	FILE f = {
		.buf = (void *)text, .buf_size = size,
		.rpos = (void *)text, .rend = (void *)(text + size),
		.read = nothing, .lock = -1
	};
	int n = vfscanf(&f, format, list);
	*used = f.rpos - f.buf;
	if (f.flags & F_EOF) *ended = 1;
	return n;
}
