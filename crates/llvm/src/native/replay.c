/* Runs functions of the meta-mutant on request, each run in a process of its own.
 *
 * A request is a line of hexadecimal numbers: the function, the mutant, the fuel, the
 * arguments. The answer is a line, too: what happened, and a number about it.
 *
 *     r <value>    it returned
 *     t <code>     it called __whet_trap
 *     s <signal>   the system stopped it
 *     g 0          it ran for too long by the clock, although it had fuel
 *     x <status>   it left the process by itself, as exit() does
 *
 * Before the first request it says `ready`.
 *
 * Written for Linux. The defined meta-mutant is a library, named on the command line, which keeps its own
 * names to itself, so that a function called `read` or `main` in there is none of ours.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned __int128 word;
typedef void call(const word *arguments, word *result);

/* What the library has for us. */
static uint32_t *mutant_number;
static uint64_t *fuel_left;
/* The functions by number, and how many arguments they take; null for what cannot be called. */
static call *const *calls;
static const uint32_t *arities;

enum { GUARD_SECONDS = 10, MOST_ARGUMENTS = 256 };

/* Room for any recursion that a test should make. One that has no end is stopped here, and soon: touching
 * more memory than this takes longer than all the rest. */
static const rlim_t STACK_BYTES = 16UL << 20;

/* What a run tells us before it ends. */
struct report {
    enum { SILENT, RETURNED, TRAPPED } state;
    uint32_t code;
    word result;
};

static struct report *report;

_Noreturn void __whet_trap(uint32_t code)
{
    report->code = code;
    report->state = TRAPPED;
    _exit(0);
}

static word parse(char **at)
{
    word value = 0;
    while (**at == ' ')
        ++*at;
    for (; **at > ' '; ++*at)
        value = value << 4 | (word)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
    return value;
}

static void answer(FILE *out, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fprintf(out, "g 0\n");
    else if (WIFSIGNALED(status))
        fprintf(out, "s %x\n", WTERMSIG(status));
    else if (report->state == RETURNED)
        fprintf(out, "r %llx%016llx\n", (unsigned long long)(report->result >> 64), (unsigned long long)report->result);
    else if (report->state == TRAPPED)
        fprintf(out, "t %x\n", report->code);
    else
        fprintf(out, "x %x\n", WEXITSTATUS(status));
    fflush(out);
}

static void serve(char *line, FILE *out)
{
    static word arguments[MOST_ARGUMENTS];
    uint32_t function = (uint32_t)parse(&line);
    uint32_t mutant = (uint32_t)parse(&line);
    uint64_t fuel = (uint64_t)parse(&line);
    for (uint32_t i = 0; i < arities[function]; i++)
        arguments[i] = parse(&line);

    report->state = SILENT;
    report->result = 0;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        alarm(GUARD_SECONDS);
        *mutant_number = mutant;
        *fuel_left = fuel;
        calls[function](arguments, &report->result);
        report->state = RETURNED;
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        exit(1);
    answer(out, status);
}

/* The stack of a process is laid out when it starts, so it has to start again. */
static void deepen_stack(int argc, char **argv)
{
    struct rlimit limit;
    if (argc > 2 || getrlimit(RLIMIT_STACK, &limit) != 0)
        return;
    rlim_t wanted = limit.rlim_max < STACK_BYTES ? limit.rlim_max : STACK_BYTES;
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    char *again[] = {argv[0], argv[1], "deep", NULL};
    if (setrlimit(RLIMIT_STACK, &limit) == 0)
        execv("/proc/self/exe", again);
}

static int load(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY);
    if (!library)
        return 0;
    mutant_number = dlsym(library, "__whet_mutant");
    fuel_left = dlsym(library, "__whet_fuel");
    calls = dlsym(library, "__whet_calls");
    arities = dlsym(library, "__whet_arities");
    return mutant_number && fuel_left && calls && arities;
}

int main(int argc, char **argv)
{
    struct rlimit no_core = {0, 0};
    if (argc < 2)
        return 1;
    deepen_stack(argc, argv);
    if (!load(argv[1]))
        return 1;
    setrlimit(RLIMIT_CORE, &no_core);
    /* What the subject reads and prints must not mix with requests and answers. */
    FILE *in = fdopen(dup(0), "r");
    FILE *out = fdopen(dup(1), "w");
    int nothing = open("/dev/null", O_RDWR);
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!in || !out || nothing < 0 || report == MAP_FAILED)
        return 1;
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);

    char *line = NULL;
    size_t size = 0;
    fprintf(out, "ready\n");
    fflush(out);
    while (getline(&line, &size, in) > 0)
        serve(line, out);
    return 0;
}
