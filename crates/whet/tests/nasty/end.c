// no newline at the end, and the last byte counts
int end(int a) { return a ? a : 7; } /* end */