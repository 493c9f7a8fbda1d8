/* One thread runs, so each step is one by itself. The library makes all other atomic operations of these two. */

#define a_cas a_cas
static inline int a_cas(volatile int *at, int expected, int wanted)
{
    int found = *at;
    if (found == expected) *at = wanted;
    return found;
}

#define a_cas_p a_cas_p
static inline void *a_cas_p(volatile void *at, void *expected, void *wanted)
{
    void *volatile *place = (void *volatile *)at;
    void *found = *place;
    if (found == expected) *place = wanted;
    return found;
}

#define a_barrier a_barrier
static inline void a_barrier(void) {}

#define a_crash a_crash
static inline void a_crash(void)
{
    __builtin_trap();
}
