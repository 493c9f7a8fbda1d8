/* Runs inputs by the thousand: the original, and the mutants that it infects.
 *
 * The replay server (replay.c) starts a process for each run. Here all runs share one, because a fork takes a
 * hundred times as long as a small function. Before each run, memory is what it was before the first: the
 * globals are restored, the heap is empty, and the objects of the input are written anew. A run that traps or
 * gets a signal is left by a jump. Some runs break more than that, so this process works for a parent that
 * does nothing but wait. If the worker dies, the parent makes another one, which goes on behind the run
 * that was to blame. All that must outlive a worker is in memory that both share.
 *
 * Nothing here is a verdict. A run may read what a stray write of an earlier one has left, and an original that
 * breaks the rules of C is not noticed unless it crashes. Whoever asks has to check what he is told.
 *
 * A batch has numbers of 8 bytes, lowest byte first:
 *     length of what follows, 1 if all that is known is forgotten first, 1 if comparisons are to be traced,
 *     fuel of the original, fuel of a mutant (or twice what the original burned), fuel of all mutants on one input,
 *     the number of the first input,
 *     how many features are known from now on, each;
 *     how many mutants are alive, each;
 *     how many inputs there are, for each a length and a request as in replay.c.
 * The answer has its length, and for each input:
 *     how the original ended (enum state), the fuel it burned;
 *     how many features are new, each;
 *     how many mutants did something else, each with how it ended;
 *     the fuel that all mutants burned;
 *     how many comparisons were traced, for each its kind and the two sides. If these are bytes: their lengths, and
 *     then MOST_SHOWN bytes of each.
 */
#define _GNU_SOURCE
#include "replay.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* What a run of the original notes, in maps: how often it entered each block (255 is 1 again), which mutants it
 * infects, how many variants of each site are still to be watched, how close the sides of each comparison came. */
static uint8_t *watching;
static uint8_t *block_counts;
static uint8_t *infected;
static uint32_t *unwatched;
static uint8_t *distances;
/* How many blocks, mutants (with the original), sites and comparisons there are. */
static const uint64_t *map_sizes;
/* The site of each mutant. */
static const uint32_t *site_of;

enum { BLOCKS, MUTANTS, SITES, COMPARISONS };

/* A worker that takes longer for one batch is stuck outside of the subject. */
enum { GUARD_SECONDS = 60 };
#define STACK_BYTES (16UL << 20)
/* What a stray index may leap over. */
#define STACK_MARGIN (1UL << 30)
#define BATCH_BYTES (1UL << 28)
#define ANSWER_BYTES (1UL << 28)
/* A run with more comparisons than this has told enough. */
enum { MOST_TRACED = 1024 };

/* A worker that was stopped in a run, and not by it, ends with this status. */
enum { BROKEN = 3 };

/* What outlives a worker. */
struct shared {
    /* A batch is at work. */
    uint64_t busy;
    /* The input at work, where its request is, and where the answer has its count of mutants. */
    uint64_t input;
    uint64_t at;
    uint64_t different_at;
    /* The place of the mutant at work among those that are alive; ORIGINAL for the original. */
    uint64_t mutant;
    uint64_t answer_length;
    /* How many runs there were. */
    uint64_t runs;
    uint8_t *batch;
    uint8_t *answer;
    /* Features that are known: a bit for each bucket of a block, mutants, and the least distance of comparisons. */
    uint8_t *known_blocks;
    uint8_t *known_infected;
    uint8_t *known_distances;
};
static struct shared *shared;
#define ORIGINAL UINT64_MAX

/* ---- leaving a run ---- */

/* The subject has a stack of its own: what it writes behind an array of its own must not hit ours. The two take
 * turns, each going on where the other one left it. */
static jmp_buf home, away;
static volatile sig_atomic_t is_running;
static uint64_t left_by, left_code;

static _Noreturn void leave(uint64_t state, uint64_t code)
{
    if (!is_running)
        _exit(BROKEN);
    is_running = 0;
    left_by = state;
    left_code = code;
    _longjmp(home, 1);
}

_Noreturn void __whet_trap(uint32_t code)
{
    leave(TRAPPED, code);
}

_Noreturn void __whet_exit(int code)
{
    leave(EXITED, (uint64_t)code);
}

_Noreturn void __whet_abort(void)
{
    leave(SIGNALLED, SIGABRT);
}

static void on_signal(int signal)
{
    if (signal == SIGALRM)
        _exit(BROKEN);
    leave(SIGNALLED, (uint64_t)signal);
}

static void catch_signals(void)
{
    static uint8_t stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM};
    sigaltstack(&other, NULL);
    for (size_t at = 0; at < sizeof signals / sizeof *signals; at++)
        sigaction(signals[at], &action, NULL);
}

/* ---- comparisons ---- */

/* Of longer sides, only the beginning is told. */
enum { MOST_SHOWN = 32 };

struct traced {
    /* The width of integers, REAL and the width of floats, or BYTES. */
    uint64_t kind;
    /* The sides, or how many bytes they have. */
    uint64_t left, right;
    uint8_t bytes[2][MOST_SHOWN];
};
static struct traced traced[MOST_TRACED];
static uint64_t traced_count;
static int tracing;

static void come_close(uint32_t id, uint8_t level)
{
    if (level < distances[id])
        distances[id] = level;
}

static uint8_t bits_of(uint64_t distance)
{
    return distance ? (uint8_t)(64 - __builtin_clzl(distance)) : 0;
}

static void trace(const struct traced *compared)
{
    if (!tracing || traced_count == MOST_TRACED)
        return;
    if (!traced_count || memcmp(&traced[traced_count - 1], compared, sizeof *compared) != 0)
        traced[traced_count++] = *compared;
}

static void compare(uint32_t id, uint64_t kind, uint64_t left, uint64_t right, uint64_t distance)
{
    come_close(id, bits_of(distance));
    trace(&(struct traced){.kind = kind, .left = left, .right = right});
}

/* Two integers of so many bits. Their distance is counted along the shorter way round. */
void __whet_compare(uint32_t id, uint32_t width, uint64_t left, uint64_t right)
{
    if (!*watching || (!distances[id] && !tracing))
        return;
    uint64_t there = left - right, back = right - left;
    compare(id, width, left, right, there < back ? there : back);
}

/* The bits of a float in an order that is that of the floats. */
static uint64_t ordered(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1UL << 63;
}

enum { REAL = 1000, BYTES = 2000 };

void __whet_compare_real(uint32_t id, uint32_t width, double left, double right)
{
    if (!*watching || (!distances[id] && !tracing))
        return;
    uint64_t one = ordered(left), other = ordered(right), bits[2];
    memcpy(&bits[0], &left, sizeof left);
    memcpy(&bits[1], &right, sizeof right);
    compare(id, REAL + width, bits[0], bits[1], one < other ? other - one : one - other);
}

/* How a function of the C library compares bytes. */
enum { ENDS_AT_ZERO = 1, IGNORES_CASE = 2 };

/* How many bytes of a side count. */
static uint64_t side(struct traced *compared, int at, uint32_t how, const uint8_t *bytes, uint64_t most)
{
    uint64_t length = 0;
    for (; length < most && length < MOST_SHOWN; length++) {
        if (how & ENDS_AT_ZERO && !bytes[length])
            break;
        compared->bytes[at][length] = bytes[length];
    }
    return length;
}

static uint8_t folded(uint8_t byte, uint32_t how)
{
    return how & IGNORES_CASE && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte - 'A' + 'a') : byte;
}

/* Two sides of at most so many bytes. They are the closer the fewer bytes are left behind the first one that differs,
 * and then the closer that one is. */
void __whet_compare_bytes(uint32_t id, uint32_t how, const uint8_t *left, const uint8_t *right, uint64_t most)
{
    if (!*watching || (!distances[id] && !tracing))
        return;
    struct traced compared = {.kind = BYTES};
    compared.left = side(&compared, 0, how, left, most);
    compared.right = side(&compared, 1, how, right, most);
    uint64_t longer = compared.left > compared.right ? compared.left : compared.right, same = 0;
    uint8_t one = 0, other = 0;
    /* Behind the end of a side are zeros. */
    for (; same < longer; same++) {
        one = folded(compared.bytes[0][same], how);
        other = folded(compared.bytes[1][same], how);
        if (one != other)
            break;
    }
    uint8_t level = 0;
    if (same < longer || compared.left != compared.right) {
        uint64_t rest = longer - same;
        level = (uint8_t)((rest > 24 ? 24 : rest) * 8 + bits_of(one < other ? other - one : one - other));
    }
    come_close(id, level);
    trace(&compared);
}

/* ---- a run ---- */

static void *reserve(uint64_t bytes, int protection, int sharing)
{
    void *start = mmap(NULL, bytes, protection, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        exit(1);
    return start;
}

/* An input, as its request describes it. */
struct input {
    uint64_t function, first_slot;
    uint8_t *writes;
    uint64_t reads;
    uint8_t *regions;
    uint64_t given;
    uint64_t result_lists;
    uint8_t *results;
    word *arguments;
};

static uint8_t **initial;
static struct block *given_room;
static uint64_t *used_room;
static word *argument_room;
enum { MOST_GIVEN = 1 << 12, MOST_LISTS = 1 << 10, MOST_ARGUMENTS = 256 };

/* False if it has more parts than there is room for. */
static int read_input(uint8_t *at, struct input *input)
{
    input->function = number(&at);
    at += 2 * sizeof(uint64_t);
    input->first_slot = number(&at);
    input->writes = at;
    for (uint64_t count = number(&at); count > 0; count--) {
        at += sizeof(uint64_t);
        uint64_t size = number(&at);
        at += size;
    }
    at += sizeof(uint64_t); /* nothing is unassigned here */
    input->reads = number(&at);
    input->regions = at;
    at += 24 * input->reads;
    input->given = number(&at);
    input->result_lists = number(&at);
    input->results = at;
    for (uint64_t list = 0; list < input->result_lists; list++)
        at += 16 + sizeof(word) * number_at(at + 8);
    uint64_t arguments = number(&at);
    if (input->given > MOST_GIVEN || input->result_lists > MOST_LISTS || arguments > MOST_ARGUMENTS)
        return 0;
    memcpy(argument_room, at, arguments * sizeof(word));
    input->arguments = argument_room;
    return 1;
}

static void write_memory(uint8_t *at)
{
    for (uint64_t global = 0; global < counts[1]; global++)
        memcpy(globals[global], initial[global], global_sizes[global]);
    for (uint64_t count = number(&at); count > 0; count--) {
        uint8_t *start = (uint8_t *)(uintptr_t)number(&at);
        uint64_t size = number(&at);
        if (is_object(start))
            prepare(start, size);
        memcpy(start, at, size);
        at += size;
    }
    for (uint64_t global = 0; global < counts[1]; global++)
        memcpy(pristine[global], globals[global], global_sizes[global]);
}

/* What the subject's stack has to run, and what became of it. */
static const struct input *running;

/* Stands at the bottom of the subject's stack, and never returns. It has no variables, since a subject may overwrite
 * them. */
static void runner(void)
{
    if (_setjmp(away) == 0)
        _longjmp(home, 1);
    write_memory(running->writes);
    calls[running->function](running->arguments, &report->result);
    tell_memory(running->reads, running->regions);
    leave(RETURNED, 0);
}

static void make_stack(void)
{
    static ucontext_t here, there;
    uint8_t *stack = reserve(STACK_BYTES + 2 * STACK_MARGIN, PROT_NONE, MAP_PRIVATE);
    mprotect(stack + STACK_MARGIN, STACK_BYTES, PROT_READ | PROT_WRITE);
    getcontext(&there);
    there.uc_stack.ss_sp = stack + STACK_MARGIN;
    there.uc_stack.ss_size = STACK_BYTES;
    makecontext(&there, runner, 0);
    if (_setjmp(home) == 0)
        swapcontext(&here, &there);
}

/* Runs the original or a mutant; returns how it ended. What it burned is off `*fuel_left`. */
static uint64_t run(const struct input *input, uint32_t mutant, uint64_t fuel)
{
    reset_heap();
    reset_streams();
    report->length = 0;
    report->result = 0;
    next_slot = input->first_slot;
    given = given_room;
    results = input->results;
    result_lists = input->result_lists;
    results_used = used_room;
    memset(results_used, 0, (result_lists + 1) * sizeof *results_used);
    uint8_t *regions = input->regions;
    for (given_count = 0; given_count < input->given; given_count++) {
        given[given_count].start = (uint8_t *)(uintptr_t)number(&regions);
        given[given_count].size = number(&regions);
        number(&regions);
    }
    errno = 0;
    *mutant_number = mutant;
    *fuel_left = fuel;
    shared->runs++;
    is_running = 1;
    running = input;
    if (_setjmp(home) == 0)
        _longjmp(away, 1);
    return left_by;
}

/* ---- features ---- */

/* Kinds of features, in the upper byte. */
enum { FEATURE_BLOCK = 1, FEATURE_INFECTION, FEATURE_DISTANCE };
#define FEATURE(kind, id, level) ((uint64_t)(kind) << 56 | (uint64_t)(level) << 48 | (uint64_t)(id))

/* Loops of 1, 2, 3, 4-7, 8-15, 16-31, 32-127 and more rounds are told apart. */
static uint8_t bucket(uint8_t count)
{
    return count < 4 ? (uint8_t)(count - 1) : count < 8 ? 3 : count < 16 ? 4 : count < 32 ? 5 : count < 128 ? 6 : 7;
}

static void say(uint64_t number)
{
    if (shared->answer_length + sizeof number > ANSWER_BYTES)
        _exit(BROKEN);
    memcpy(shared->answer + shared->answer_length, &number, sizeof number);
    shared->answer_length += sizeof number;
}

static void say_bytes(const void *bytes, uint64_t length)
{
    for (uint64_t at = 0; at < length; at += sizeof(uint64_t))
        say(number_at((const uint8_t *)bytes + at));
}

static void say_at(uint64_t at, uint64_t number)
{
    memcpy(shared->answer + at, &number, sizeof number);
}

static uint64_t said_at(uint64_t at)
{
    return number_at(shared->answer + at);
}

static void learn(uint64_t feature)
{
    uint64_t id = feature & 0xffffffff, level = feature >> 48 & 0xff;
    switch (feature >> 56) {
    case FEATURE_BLOCK:
        shared->known_blocks[id] |= (uint8_t)(1 << level);
        break;
    case FEATURE_INFECTION:
        shared->known_infected[id] = 1;
        break;
    case FEATURE_DISTANCE:
        if (level < shared->known_distances[id])
            shared->known_distances[id] = (uint8_t)level;
        break;
    }
}

static void forget_features(void)
{
    memset(shared->known_blocks, 0, map_sizes[BLOCKS]);
    memset(shared->known_infected, 0, map_sizes[MUTANTS]);
    memset(shared->known_distances, 0xff, map_sizes[COMPARISONS]);
}

static void say_news(void)
{
    uint64_t at = shared->answer_length, first = at + sizeof at;
    say(0);
    for (uint64_t id = 0; id < map_sizes[BLOCKS]; id++)
        if (block_counts[id] && !(shared->known_blocks[id] & 1 << bucket(block_counts[id])))
            say(FEATURE(FEATURE_BLOCK, id, bucket(block_counts[id])));
    for (uint64_t id = 0; id < map_sizes[MUTANTS]; id++)
        if (infected[id] == 1 && !shared->known_infected[id])
            say(FEATURE(FEATURE_INFECTION, id, 0));
    for (uint64_t id = 0; id < map_sizes[COMPARISONS]; id++)
        if (distances[id] < shared->known_distances[id])
            say(FEATURE(FEATURE_DISTANCE, id, distances[id]));
    say_at(at, (shared->answer_length - first) / sizeof at);
}

/* ---- a batch ---- */

/* What a run leaves to compare with. */
static struct report *expected;

/* A batch, as far as it is the same for all inputs. */
static uint64_t original_fuel, mutant_fuel, all_fuel, first_input, alive_count, input_count;
/* What the original burned on the input at work. */
static uint64_t original_burned;
static uint8_t *alive;
/* The maps at the start of a run: a mutant that nobody asks about counts as infected by 2. */
static uint8_t *first_infected;
static uint32_t *first_unwatched;

static uint32_t alive_at(uint64_t at)
{
    return (uint32_t)number_at(alive + at * sizeof(uint64_t));
}

/* Reads the head of the batch; returns where its inputs begin. */
static uint8_t *read_head(int is_new)
{
    uint8_t *at = shared->batch;
    uint64_t forget = number(&at);
    if (forget && is_new)
        forget_features();
    tracing = (int)number(&at);
    original_fuel = number(&at);
    mutant_fuel = number(&at);
    all_fuel = number(&at);
    first_input = number(&at);
    for (uint64_t count = number(&at); count > 0; count--) {
        uint64_t feature = number(&at);
        if (is_new)
            learn(feature);
    }
    alive_count = number(&at);
    alive = at;
    at += alive_count * sizeof(uint64_t);
    input_count = number(&at);
    memset(first_infected, 2, map_sizes[MUTANTS]);
    memset(first_unwatched, 0, map_sizes[SITES] * sizeof *first_unwatched);
    for (uint64_t place = 0; place < alive_count; place++) {
        uint32_t mutant = alive_at(place);
        first_infected[mutant] = 0;
        first_unwatched[site_of[mutant]]++;
    }
    return at;
}

static void run_original(const struct input *input)
{
    memset(block_counts, 0, map_sizes[BLOCKS]);
    memset(distances, 0xff, map_sizes[COMPARISONS]);
    memcpy(infected, first_infected, map_sizes[MUTANTS]);
    memcpy(unwatched, first_unwatched, map_sizes[SITES] * sizeof *unwatched);
    traced_count = 0;
    *watching = 1;
    uint64_t state = run(input, 0, original_fuel);
    *watching = 0;
    say(state);
    original_burned = original_fuel - *fuel_left;
    say(original_burned);
    if (state == RETURNED) {
        say_news();
        memcpy(expected, report, sizeof *report + report->length);
    } else {
        say(0);
    }
    shared->different_at = shared->answer_length;
    say(0);
    if (state != RETURNED)
        shared->mutant = alive_count;
}

static void note_difference(uint32_t mutant, uint64_t state)
{
    say(mutant);
    say(state);
    say_at(shared->different_at, said_at(shared->different_at) + 1);
}

/* The mutant whose turn it is. Each input begins with another one, so that none is always left over. */
static uint32_t mutant_at_work(void)
{
    return alive_at((first_input + shared->input + shared->mutant) % alive_count);
}

/* What a run costs besides its blocks. */
enum { RUN_COST = 1000 };

static void run_mutants(const struct input *input)
{
    uint64_t burned = 0, fuel = 2 * original_burned > mutant_fuel ? 2 * original_burned : mutant_fuel;
    for (; shared->mutant < alive_count && burned < all_fuel; shared->mutant++) {
        uint32_t mutant = mutant_at_work();
        if (infected[mutant] != 1)
            continue;
        uint64_t state = run(input, mutant, fuel);
        burned += fuel - *fuel_left + RUN_COST;
        int same = state == RETURNED && report->result == expected->result && report->length == expected->length &&
                   memcmp(report->bytes, expected->bytes, report->length) == 0;
        if (!same)
            note_difference(mutant, state == TRAPPED && left_code == TRAP_OUT_OF_FUEL ? OUT_OF_FUEL : state);
    }
    say(burned);
    say(traced_count);
    for (uint64_t at = 0; at < traced_count; at++) {
        say(traced[at].kind);
        say(traced[at].left);
        say(traced[at].right);
        if (traced[at].kind == BYTES)
            say_bytes(traced[at].bytes, sizeof traced[at].bytes);
    }
}

/* An input that cannot be run here is like one that breaks the original. */
static void skip_input(void)
{
    say(SILENT);
    for (int at = 0; at < 5; at++)
        say(0);
}

/* Answers for what a worker has died of. What the original infects is lost, so that the other mutants wait. */
static void bury(void)
{
    if (shared->mutant == ORIGINAL) {
        shared->answer_length = shared->different_at;
        skip_input();
    } else {
        note_difference(mutant_at_work(), SIGNALLED);
        say(0);
        say(0);
    }
}

static void work(int is_new)
{
    uint8_t *at = read_head(is_new);
    if (is_new) {
        shared->input = 0;
        shared->answer_length = 0;
    } else {
        bury();
        at = shared->batch + shared->at;
        at += sizeof(uint64_t) + number_at(at);
        shared->input++;
    }
    for (; shared->input < input_count; shared->input++) {
        shared->at = (uint64_t)(at - shared->batch);
        shared->mutant = ORIGINAL;
        shared->different_at = shared->answer_length;
        uint64_t length = number(&at);
        struct input input;
        if (read_input(at, &input)) {
            run_original(&input);
            if (shared->mutant == ORIGINAL)
                shared->mutant = 0;
            run_mutants(&input);
        } else {
            skip_input();
        }
        at += length;
    }
}

/* ---- the server ---- */

static _Noreturn void serve(int in, int out)
{
    catch_signals();
    make_stack();
    for (uint64_t length;; shared->busy = 0) {
        int is_new = !shared->busy;
        if (is_new) {
            if (!receive_bytes(in, &length, sizeof length) || length > BATCH_BYTES ||
                !receive_bytes(in, shared->batch, length))
                _exit(0);
            shared->busy = 1;
        }
        alarm(GUARD_SECONDS);
        work(is_new);
        alarm(0);
        send_bytes(out, &shared->answer_length, sizeof shared->answer_length);
        send_bytes(out, shared->answer, shared->answer_length);
    }
}

static int load_maps(const char *path)
{
    void *library = load(path);
    if (!library)
        return 0;
    watching = dlsym(library, "__whet_watching");
    block_counts = dlsym(library, "__whet_block_counts");
    infected = dlsym(library, "__whet_infected");
    unwatched = dlsym(library, "__whet_unwatched");
    distances = dlsym(library, "__whet_distances");
    map_sizes = dlsym(library, "__whet_map_sizes");
    site_of = dlsym(library, "__whet_site_of");
    return watching && block_counts && infected && unwatched && distances && map_sizes && site_of;
}

static void reserve_memory(void)
{
    int open = PROT_READ | PROT_WRITE;
    report = reserve(sizeof *report + REPORT_BYTES, open, MAP_PRIVATE);
    expected = reserve(sizeof *report + REPORT_BYTES, open, MAP_PRIVATE);
    /* A stray index of 32 bits stays in here. */
    uint8_t *wide = reserve(ARENA + 2 * ARENA_MARGIN, PROT_NONE, MAP_PRIVATE);
    arena = wide + ARENA_MARGIN;
    blocks = reserve(MOST_BLOCKS * sizeof *blocks, open, MAP_PRIVATE);
    locals = reserve(MOST_LOCALS * sizeof *locals, open, MAP_PRIVATE);
    given_room = reserve((MOST_GIVEN + 1) * sizeof *given_room, open, MAP_PRIVATE);
    used_room = reserve((MOST_LISTS + 1) * sizeof *used_room, open, MAP_PRIVATE);
    argument_room = reserve((MOST_ARGUMENTS + 1) * sizeof *argument_room, open, MAP_PRIVATE);
    initial = reserve((counts[1] + 1) * sizeof *initial, open, MAP_PRIVATE);
    pristine = reserve((counts[1] + 1) * sizeof *pristine, open, MAP_PRIVATE);
    for (uint64_t at = 0; at < counts[1]; at++) {
        initial[at] = reserve(global_sizes[at] + 1, open, MAP_PRIVATE);
        pristine[at] = reserve(global_sizes[at] + 1, open, MAP_PRIVATE);
        memcpy(initial[at], globals[at], global_sizes[at]);
    }
    first_infected = reserve(map_sizes[MUTANTS] + 1, open, MAP_PRIVATE);
    first_unwatched = reserve((map_sizes[SITES] + 1) * sizeof *first_unwatched, open, MAP_PRIVATE);
    shared = reserve(sizeof *shared, open, MAP_SHARED);
    shared->batch = reserve(BATCH_BYTES, open, MAP_SHARED);
    shared->answer = reserve(ANSWER_BYTES, open, MAP_SHARED);
    shared->known_blocks = reserve(map_sizes[BLOCKS] + 1, open, MAP_SHARED);
    shared->known_infected = reserve(map_sizes[MUTANTS] + 1, open, MAP_SHARED);
    shared->known_distances = reserve(map_sizes[COMPARISONS] + 1, open, MAP_SHARED);
    forget_features();
}

int main(int argc, char **argv)
{
    int in, out;
    if (argc < 2 || !load_maps(argv[1]))
        return 1;
    reserve_memory();
    if (!take_streams(&in, &out))
        return 1;
    introduce(out);
    for (uint64_t last = 0;;) {
        pid_t parent = getpid(), worker = fork();
        if (worker == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent)
                _exit(0);
            serve(in, out);
        }
        int status;
        if (worker < 0 || waitpid(worker, &status, 0) < 0)
            return 1;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return 0;
        /* A worker that has run nothing has died of something else than a run, and so would the next one. */
        if (!shared->busy || shared->runs == last)
            return 1;
        last = shared->runs;
    }
}
