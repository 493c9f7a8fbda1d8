/* What the replay server and the hunt's have in common: loading the machine code, talking to Whet, and telling what a
 * run has left in memory.
 */
#define _GNU_SOURCE
#include "replay.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

uint32_t *mutant_number;
uint64_t *fuel_left;
call *const *calls;
void *const *functions;
uint8_t **pristine;

uint64_t number(uint8_t **at)
{
    uint64_t number = number_at(*at);
    *at += sizeof number;
    return number;
}

int is_object(const uint8_t *start)
{
    return start >= arena && start < arena + ARENA;
}

void *load(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY);
    if (!library)
        return NULL;
    mutant_number = dlsym(library, "__whet_mutant");
    fuel_left = dlsym(library, "__whet_fuel");
    calls = dlsym(library, "__whet_calls");
    functions = dlsym(library, "__whet_functions");
    globals = dlsym(library, "__whet_globals");
    global_sizes = dlsym(library, "__whet_global_sizes");
    counts = dlsym(library, "__whet_counts");
    int is_whole = mutant_number && fuel_left && calls && functions && globals && global_sizes && counts;
    return is_whole ? library : NULL;
}

void tell_memory(uint64_t reads, uint8_t *regions)
{
    for (uint64_t at = 0; at < reads; at++) {
        uint8_t *start = (uint8_t *)(uintptr_t)number(&regions);
        number(&regions);
        put_given(at, start, number(&regions));
    }
    for (uint64_t at = 0; at < counts[1]; at++)
        if (memcmp(globals[at], pristine[at], global_sizes[at]) != 0)
            put_global(at);
    for (uint64_t at = 0; at < block_count; at++)
        put_block(&blocks[at]);
}

int take_streams(int *in, int *out)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    *in = dup(0);
    *out = dup(1);
    int nothing = open("/dev/null", O_RDWR);
    if (*in < 0 || *out < 0 || nothing < 0)
        return 0;
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    return 1;
}

void send_bytes(int out, const void *bytes, uint64_t length)
{
    for (const uint8_t *at = bytes; length > 0;) {
        ssize_t sent = write(out, at, length);
        if (sent <= 0)
            _exit(1);
        at += sent;
        length -= (uint64_t)sent;
    }
}

int receive_bytes(int in, void *bytes, uint64_t length)
{
    for (uint8_t *at = bytes; length > 0;) {
        ssize_t got = read(in, at, length);
        if (got <= 0)
            return 0;
        at += got;
        length -= (uint64_t)got;
    }
    return 1;
}

void introduce(int out)
{
    void *places[] = {arena, stdin, stdout, stderr};
    uint64_t length = sizeof places + 8 * (counts[0] + counts[1]);
    send_bytes(out, &length, sizeof length);
    send_bytes(out, places, sizeof places);
    send_bytes(out, functions, 8 * counts[0]);
    send_bytes(out, globals, 8 * counts[1]);
}
