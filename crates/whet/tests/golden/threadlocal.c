// Each thread has a level of its own; a test has one thread.
static _Thread_local int depth;
_Thread_local int level = 3;
int f(int a) { depth = a & 7; level += a > 3; return depth + level; }  //~ 36 killed
