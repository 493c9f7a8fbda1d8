/* Names that a test file has for things of its own. */
#include <stdio.h>
int note(int x); int calls; int count_of(void); int printed(int a) { printf("%d\n", a + 1); return a * 2; }  //~ 19 killed
int note_count = 3;
int capture(int n) { calls = n; return note(n + 1) + count_of() - note_count; }  //~ 23 killed
