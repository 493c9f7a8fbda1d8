/* Line breaks of another system, tabs, and no end of the last line. */
int crlf(int a,	int b)
{
	if (a > b &&
		b)	{ a -= b;
		return a; }
	while (b < 3)	b++;
	return a \
		+ b *	2;
}

int last(int a) { if (a) return a | 1; return 0; }