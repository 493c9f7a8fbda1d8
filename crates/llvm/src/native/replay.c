/* Runs functions of the meta-mutant on request, each run in a process of its own.
 *
 * Requests and answers are a length, then so many bytes: numbers of 8 bytes, lowest byte first, and
 * plain bytes. A request says which function to run, as which mutant, with how much fuel; what to write to memory
 * before and to read after; the arguments; and what functions without a body return. All addresses are
 * real ones: the first answer, before any request, tells where functions and globals are, and where objects of the
 * input can be put. An answer says what the run came to, and what it told on its way.
 *
 * Objects lie far apart from each other, each right before a page that nobody can access, so that most strays end
 * at once. With a sanitizer (the same, compiled again) the others do, too.
 *
 * Written for Linux. The defined meta-mutant is a library, named on the command line, which keeps its own
 * names to itself, so that a function called `read` or `main` in there is none of ours.
 */
#define _GNU_SOURCE
#include "replay.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GUARD_SECONDS = 10 };

/* Room for any recursion that a test should make. One that has no end is stopped here, and soon: touching
 * more memory than this takes longer than all the rest. */
static const rlim_t STACK_BYTES = 16UL << 20;

static uint8_t *request;

/* ---- a run ---- */

static void write_memory(uint8_t **at)
{
    for (uint64_t count = number(at); count > 0; count--) {
        uint8_t *start = (uint8_t *)(uintptr_t)number(at);
        uint64_t size = number(at);
        if (is_object(start))
            prepare(start, size);
        memcpy(start, *at, size);
        *at += size;
    }
    /* Which parts of it nobody has assigned. */
    for (uint64_t count = number(at); count > 0; count--) {
        uint8_t *start = (uint8_t *)(uintptr_t)number(at);
        uint64_t size = number(at);
#ifdef WITH_MEMORY
        __msan_poison(start, size);
#else
        (void)start, (void)size;
#endif
    }
}

#ifdef WITH_ADDRESS
const char *__asan_default_options(void)
{
    return "detect_leaks=0:exitcode=99:symbolize=0:handle_abort=0:allocator_may_return_null=1:"
           "detect_stack_use_after_return=1:strict_string_checks=0";
}

static void on_error(const char *text)
{
    report->state = REPORTED;
    report->length = 0;
    put(text, strlen(text));
}
#endif

#ifdef WITH_MEMORY
const char *__msan_default_options(void)
{
    return "exit_code=99:symbolize=0:handle_segv=0:handle_sigfpe=0";
}

static void on_death(void)
{
    static const char text[] = "MemorySanitizer: use-of-uninitialized-value";
    report->state = REPORTED;
    report->length = 0;
    put(text, strlen(text));
}
#endif

#ifdef WITH_SANITIZER
static uint64_t taken;

/* The heap of a sanitizer has no end but that of the machine. */
static void count(const volatile void *block, size_t size)
{
    (void)block;
    taken += size;
    if (taken > MOST_SANITISED)
        __whet_trap(TRAP_TOO_MUCH);
}

/* There is no hook for one without the other. */
static void ignore(const volatile void *block)
{
    (void)block;
}
#endif

/* Notes what the caller gave, which it may have from the heap. */
static void note_given(uint64_t count, uint8_t *regions)
{
    given = calloc(count + 1, sizeof *given);
    if (!given)
        _exit(1);
    for (given_count = 0; given_count < count; given_count++) {
        given[given_count].start = (uint8_t *)(uintptr_t)number(&regions);
        given[given_count].size = number(&regions);
        number(&regions);
    }
}

static void run(uint8_t *at)
{
    uint64_t function = number(&at);
    *mutant_number = (uint32_t)number(&at);
    *fuel_left = number(&at);
    next_slot = number(&at);
    write_memory(&at);
    for (uint64_t global = 0; global < counts[1]; global++)
        memcpy(pristine[global], globals[global], global_sizes[global]);
    uint64_t reads = number(&at);
    uint8_t *regions = at;
    at += 24 * reads;
    note_given(number(&at), regions);
    result_lists = number(&at);
    results = at;
    for (uint64_t list = 0; list < result_lists; list++)
        at += 16 + sizeof(word) * number_at(at + 8);
    results_used = calloc(result_lists + 1, sizeof *results_used);
    uint64_t arguments = number(&at);
    word *slots = calloc(arguments + 1, sizeof *slots);
    if (!slots || !results_used)
        _exit(1);
    memcpy(slots, at, arguments * sizeof *slots);
#ifdef WITH_SANITIZER
    __sanitizer_install_malloc_and_free_hooks(count, ignore);
#endif
#ifdef WITH_ADDRESS
    __asan_set_error_report_callback(on_error);
#endif
#ifdef WITH_MEMORY
    __msan_set_death_callback(on_death);
#endif

    calls[function](slots, &report->result);

#ifdef WITH_MEMORY
    __msan_check_mem_is_initialized(&report->result, sizeof report->result);
#endif
    /* Under a sanitizer nobody asks, and to look at what was never assigned would be an error of ours. */
#ifndef WITH_SANITIZER
    tell_memory(reads, regions);
#endif
    report->state = RETURNED;
    _exit(0);
}

/* ---- the server ---- */

static void answer(int out, int status)
{
    uint64_t state = report->state, code = report->code;
    if (WIFSIGNALED(status)) {
        code = (uint64_t)WTERMSIG(status);
        state = code == SIGALRM ? GUARD_FIRED : SIGNALLED;
    } else if (state == SILENT) {
        code = (uint64_t)WEXITSTATUS(status);
        state = EXITED;
    }
    uint64_t told = state == RETURNED || state == REPORTED ? report->length : 0;
    struct {
        uint64_t length, state, code, pad;
        word result;
    } head = {sizeof head - sizeof head.length + told, state, code, 0, report->result};
    send_bytes(out, &head, sizeof head);
    send_bytes(out, report->bytes, told);
}

static void serve(int out)
{
    /* A long report should not stay in memory for ever. */
    if (report->length > MOST_BYTES)
        madvise(report, sizeof *report + REPORT_BYTES, MADV_REMOVE);
    report->state = SILENT;
    report->code = 0;
    report->result = 0;
    report->length = 0;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        alarm(GUARD_SECONDS);
        run(request);
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

static void *reserve(uint64_t bytes, int protection, int sharing)
{
    void *start = mmap(NULL, bytes, protection, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

static int reserve_memory(void)
{
    int open = PROT_READ | PROT_WRITE;
    report = reserve(sizeof *report + REPORT_BYTES, open, MAP_SHARED);
    arena = reserve(ARENA, PROT_NONE, MAP_PRIVATE);
    blocks = reserve(MOST_BLOCKS * sizeof *blocks, open, MAP_PRIVATE);
    locals = reserve(MOST_LOCALS * sizeof *locals, open, MAP_PRIVATE);
    pristine = calloc(counts[1] + 1, sizeof *pristine);
    if (!report || !arena || !blocks || !locals || !pristine)
        return 0;
    for (uint64_t slot = 0; slot < PREPARED; slot++)
        if (mprotect(arena + slot * SLOT + GAP - PAGE, PAGE, open) != 0)
            return 0;
    for (uint64_t at = 0; at < counts[1]; at++)
        if (!(pristine[at] = malloc(global_sizes[at] + 1)))
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int in, out;
    if (argc < 2)
        return 1;
    deepen_stack(argc, argv);
    if (!load(argv[1]) || !reserve_memory())
        return 1;
    if (!take_streams(&in, &out))
        return 1;
    introduce(out);
    uint64_t length, room = 0;
    while (receive_bytes(in, &length, sizeof length)) {
        if (length > room) {
            room = length;
            request = realloc(request, room);
        }
        if (!request || !receive_bytes(in, request, length))
            return 1;
        serve(out);
    }
    return 0;
}
