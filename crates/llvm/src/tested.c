/* Linked with the meta-mutant and the user's tests: how much a run may do, what it has reached, and a fresh process for each mutant.
 *
 * WHET_REPORT names a file that is shared with all processes that the tests start: its first page has the fuel that is left, then
 * comes a byte for each function of the file under test that was entered. So it does not matter who burns the fuel, or how a process
 * ends.
 *
 * WHET_MUTANT with question marks in the place of a number asks for a server. To copy a process takes a fifth of the time that it takes to
 * start a program, so this one stops before anything else has run, and makes a copy of itself for each mutant that it is asked
 * for. A request is the value that the variable has in the copy, and which test is wanted; an answer is the copy's process number, and
 * then, when it has ended, whether the tests passed.
 *
 * All this comes before the constructors, those of libraries too: what these do, they do for each mutant anew. The C library has not
 * looked at the environment by then. And tests stand in for functions such as `read`, or the file under test defines them, so we ask the
 * system itself. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* As large as any machine's page, so that nothing else is in it. */
#define PAGE 65536

/* The largest number of a mutant has ten digits, and ends with a zero byte. */
#define MUTANT 11

/* The hash of the name of the test that is wanted. Zero: all are. */
static uint64_t wanted;

union page {
    uint64_t fuel;
    char bytes[PAGE];
};

__attribute__((aligned(PAGE))) union page __whet_fuel = {UINT64_MAX};

extern uint8_t *__whet_entered;
extern const uint64_t __whet_function_count;

/* What comes after the prefix, such as `WHET_FUEL=`. */
static char *variable(char **environment, const char *prefix)
{
    for (; *environment; environment++) {
        char *text = *environment;
        const char *expected = prefix;
        while (*expected && *text == *expected)
            text++, expected++;
        if (!*expected)
            return text;
    }
    return NULL;
}

static uint64_t number(const char *text, uint64_t otherwise)
{
    if (!text)
        return otherwise;
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (uint64_t)(*text - '0');
    return value;
}

static void end(int code)
{
    for (;;)
        syscall(SYS_exit_group, code);
}

static long map(void *place, size_t bytes, int kind, int file, long from)
{
    return syscall(SYS_mmap, place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | kind, file, from);
}

static void share(int file)
{
    int kind = MAP_FIXED | (file < 0 ? MAP_ANONYMOUS : 0);
    if (map(&__whet_fuel, PAGE, kind, file, 0) == -1)
        end(1);
    if (file < 0)
        return;
    long start = map(NULL, __whet_function_count, 0, file, PAGE);
    if (start != -1)
        __whet_entered = (uint8_t *)start;
}

static void limit(int resource, uint64_t most)
{
    struct rlimit64 limit = {most, most};
    syscall(SYS_prlimit64, 0, resource, &limit, NULL);
}

/* Who started the tests may be stopped; nobody would end them then. */
static void end_with_parent(void)
{
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0L, 0L, 0L);
}

static void answer(int32_t value)
{
    if (syscall(SYS_write, STDOUT_FILENO, &value, sizeof value) != sizeof value)
        end(1);
}

/* The copy is as if it had been started: in a group of its own, with nothing to read, and nobody reads what it prints. */
static void become_tests(long server, int nothing)
{
    end_with_parent();
    if (syscall(SYS_getppid) != server)
        end(1);
    syscall(SYS_setpgid, 0, 0);
    syscall(SYS_dup3, nothing, STDIN_FILENO, 0);
    syscall(SYS_dup3, STDERR_FILENO, STDOUT_FILENO, 0);
    syscall(SYS_close, nothing);
}

/* FNV-1a, as in `server.rs`. */
static uint64_t hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* Tests of ours ask this before each of them runs. */
int whet_wants(const char *test)
{
    return wanted == 0 || hash(test) == wanted;
}

static int read_request(char *mutant)
{
    char request[MUTANT + sizeof wanted];
    if (syscall(SYS_read, STDIN_FILENO, request, sizeof request) != sizeof request)
        return 0;
    for (int at = 0; at < MUTANT; at++)
        mutant[at] = request[at];
    unsigned char *bytes = (unsigned char *)&wanted;
    for (unsigned at = 0; at < sizeof wanted; at++)
        bytes[at] = (unsigned char)request[MUTANT + at];
    return 1;
}

/* Returns in each copy. */
static void serve(char *mutant)
{
    int nothing = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
    long server = syscall(SYS_getpid);
    pid_t copy = 0;
    while (nothing >= 0 && read_request(mutant)) {
        /* Until now nobody else could get its number: it may have been ended from outside when it had just ended by itself. */
        if (copy > 0)
            syscall(SYS_wait4, copy, NULL, 0, NULL);
        copy = _Fork();
        if (copy == 0) {
            become_tests(server, nothing);
            return;
        }
        if (copy < 0)
            break;
        syscall(SYS_setpgid, copy, copy);
        answer(copy);
        siginfo_t how = {0};
        if (syscall(SYS_waitid, P_PID, copy, &how, WEXITED | WNOWAIT, NULL) != 0)
            break;
        /* What they have started goes with them. */
        syscall(SYS_kill, -copy, SIGKILL);
        answer(how.si_code == CLD_EXITED && how.si_status == 0);
    }
    end(1);
}

static void begin(int count, char **arguments, char **environment)
{
    (void)count, (void)arguments;
    end_with_parent();
    char *mutant = variable(environment, "WHET_MUTANT=");
    if (mutant && *mutant == '?')
        serve(mutant);
    const char *path = variable(environment, "WHET_REPORT=");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    share(file);
    if (file >= 0)
        syscall(SYS_close, file);
    __whet_fuel.fuel = number(variable(environment, "WHET_FUEL="), UINT64_MAX);
    uint64_t bytes = number(variable(environment, "WHET_MEMORY="), 0);
    if (bytes > 0)
        limit(RLIMIT_AS, bytes);
    limit(RLIMIT_CORE, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **, char **) = begin;
