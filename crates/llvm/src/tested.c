/* Linked with the meta-mutant and the user's tests: how much a run may do, and what it has reached.
 *
 * WHET_REPORT names a file that is shared with processes that the tests start: whether there were any, how much fuel was left at
 * the end, and a byte for each function of the file under test that was entered. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

extern uint64_t __whet_fuel;
extern uint8_t *__whet_entered;
extern const uint64_t __whet_function_count;

struct report {
    uint64_t forked;
    uint64_t ended;
    uint64_t fuel_left;
    uint8_t entered[];
};

static struct report *report;

static void note_fork(void)
{
    report->forked = 1;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void whet_begin(void)
{
    __whet_fuel = number("WHET_FUEL", UINT64_MAX);
    uint64_t bytes = number("WHET_MEMORY", 0);
    struct rlimit limit = {bytes, bytes}, no_core = {0, 0};
    if (bytes > 0)
        setrlimit(RLIMIT_AS, &limit);
    setrlimit(RLIMIT_CORE, &no_core);
    const char *path = getenv("WHET_REPORT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    size_t size = sizeof *report + __whet_function_count;
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (start == MAP_FAILED)
        return;
    report = start;
    __whet_entered = report->entered;
    pthread_atfork(note_fork, NULL, NULL);
}

__attribute__((destructor)) static void whet_end(void)
{
    if (!report)
        return;
    report->ended = 1;
    report->fuel_left = __whet_fuel;
}
