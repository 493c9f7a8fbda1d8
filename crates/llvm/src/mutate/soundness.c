/* Runs each edited copy and the meta-mutant with its number over the same inputs. */
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

extern int __whet_mutant;
extern long long drive(long, long, long);
extern long long (*const copies[])(long, long, long);
extern const int count;

enum { RETURNED, TRAPPED, OUT_OF_FUEL };
enum { INPUTS = 300, FUEL = 1000 };

static sigjmp_buf end;
static int fuel;

void tick(void) { if (--fuel < 0) siglongjmp(end, OUT_OF_FUEL); }
int id(int x) { return x; }
int three(int x, char y, long z) { return x ^ (y << 3) ^ (int)(z * 7); }

static void trap(int signal) { (void)signal; siglongjmp(end, TRAPPED); }

static int run(long long (*function)(long, long, long), const long *in, long long *result)
{
    fuel = FUEL;
    int how = sigsetjmp(end, 1);
    if (how == 0) *result = function(in[0], in[1], in[2]);
    else *result = 0;
    return how;
}

static long value(void)
{
    static const long edges[] = {
        0, 1, -1, 2, 3, -2, 5, 7, 8, 31, 32, 33, 63, 64, 100, 127, 128, -128, -129, 255, 256, 32767, 32768,
        -32768, 65535, 65536, INT_MAX, INT_MIN, INT_MAX - 1L, INT_MIN + 1L, UINT_MAX, LONG_MAX, LONG_MIN, 97, 98,
    };
    static unsigned long state = 88172645463325252ul;
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    unsigned long pick = state >> 20;
    if (pick % 4) return edges[pick / 4 % (sizeof edges / sizeof *edges)];
    return (long)state >> (pick / 4 % 64);
}

int main(void)
{
    static long inputs[INPUTS][3];
    int differences = 0;
    signal(SIGFPE, trap); signal(SIGILL, trap); signal(SIGSEGV, trap); signal(SIGTRAP, trap);
    for (int i = 0; i < INPUTS; i++)
        for (int k = 0; k < 3; k++) inputs[i][k] = value();
    for (int m = 1; m <= count; m++) {
        for (int i = 0; i < INPUTS && differences < 20; i++) {
            long long meta, copy;
            __whet_mutant = m;
            int how_meta = run(drive, inputs[i], &meta);
            int how_copy = run(copies[m - 1], inputs[i], &copy);
            if (how_meta == how_copy && meta == copy) continue;
            printf("%d on %ld %ld %ld: meta %d %lld, copy %d %lld\n", m, inputs[i][0], inputs[i][1], inputs[i][2],
                   how_meta, meta, how_copy, copy);
            differences++;
            break;
        }
    }
    return 0;
}
