/* Linked with the meta-mutant and the user's tests: how much a run may do, and what it has reached.
 *
 * WHET_REPORT names a file that is shared with all processes that the tests start: its first page has the fuel that is left, then
 * comes a byte for each function of the file under test that was entered. So it does not matter who burns the fuel, or how a process
 * ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* As large as any machine's page, so that nothing else is in it. */
#define PAGE 65536

union page {
    uint64_t fuel;
    char bytes[PAGE];
};

__attribute__((aligned(PAGE))) union page __whet_fuel = {UINT64_MAX};

extern uint8_t *__whet_entered;
extern const uint64_t __whet_function_count;

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void share(int file)
{
    int kind = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0);
    if (mmap(&__whet_fuel, PAGE, PROT_READ | PROT_WRITE, kind | MAP_FIXED, file, 0) == MAP_FAILED)
        abort();
    if (file < 0)
        return;
    void *start = mmap(NULL, __whet_function_count, PROT_READ | PROT_WRITE, MAP_SHARED, file, PAGE);
    if (start != MAP_FAILED)
        __whet_entered = start;
}

__attribute__((constructor)) static void whet_begin(void)
{
#ifdef __linux__
    /* Who started the tests may be stopped; nobody would end them then. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    const char *path = getenv("WHET_REPORT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    share(file);
    if (file >= 0)
        close(file);
    __whet_fuel.fuel = number("WHET_FUEL", UINT64_MAX);
    uint64_t bytes = number("WHET_MEMORY", 0);
    struct rlimit limit = {bytes, bytes}, no_core = {0, 0};
    if (bytes > 0)
        setrlimit(RLIMIT_AS, &limit);
    setrlimit(RLIMIT_CORE, &no_core);
}
