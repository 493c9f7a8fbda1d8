/* What the subject finds outside of itself: a heap, and someone who answers for functions without a body.
 *
 * The native build sends calls of malloc() and its like here, and describes each call of a function without a body. All functions for
 * the subject are called __whet_...
 */
#define _GNU_SOURCE
#include "replay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct report *report;
uint8_t *arena;
uint64_t next_slot;
struct block *blocks;
uint64_t block_count;
struct block *locals;
struct block *given;
uint64_t given_count;
static uint64_t local_count;
/* Whether the call that is being described has an argument that points to a block or a local. */
static int points_to_fresh;
/* Whether it has one that points to what the caller gave. */
static int points_to_given;

void *const *globals;
const uint64_t *global_sizes;
const uint64_t *counts;

const uint8_t *results;
uint64_t result_lists;
uint64_t *results_used;

#ifndef HUNTING
_Noreturn void __whet_trap(uint32_t code)
{
    report->code = code;
    report->state = TRAPPED;
    _exit(0);
}
#endif

void put(const void *bytes, uint64_t length)
{
    if (length > REPORT_BYTES - report->length)
        __whet_trap(TRAP_TOO_MUCH);
    memcpy(report->bytes + report->length, bytes, length);
    report->length += length;
}

void put_number(uint64_t number)
{
    put(&number, sizeof number);
}

void put_block(const struct block *block)
{
    put_number(TAG_BLOCK);
    put_number((uint64_t)(uintptr_t)block->start);
    put_number(block->size);
    put(block->start, block->size);
}

void put_given(uint64_t at, const uint8_t *start, uint64_t size)
{
    if (at < given_count && !given[at].start) {
        put_number(TAG_FREED);
        return;
    }
    put_number(TAG_READ);
    put_number(size);
    put(start, size);
}

void put_global(uint64_t at)
{
    put_number(TAG_GLOBAL);
    put_number(at);
    put_number(global_sizes[at]);
    put(globals[at], global_sizes[at]);
}

uint64_t number_at(const uint8_t *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

/* ---- the heap ---- */

/* Bytes of all blocks that live. While a block is made larger, there are two. */
static uint64_t living;

#ifdef HUNTING
/* How many bytes before the gap of each slot are open. They stay so: to close them again would take longer than most
 * runs, and whoever asks checks what he is told. */
static uint32_t opened[ARENA / SLOT];

void prepare(uint8_t *start, uint64_t size)
{
    uint64_t end = (uint64_t)(start - arena) + size, last = end / SLOT;
    uint64_t wanted = (size + PAGE - 1) / PAGE * PAGE;
    if (opened[last] >= wanted)
        return;
    uint8_t *from = arena + last * SLOT + GAP - wanted;
    if (wanted > UINT32_MAX || mprotect(from, wanted, PROT_READ | PROT_WRITE) != 0)
        __whet_trap(TRAP_TOO_MUCH);
    opened[last] = (uint32_t)wanted;
}

void reset_heap(void)
{
    block_count = 0;
    local_count = 0;
    living = 0;
}
#else
void prepare(uint8_t *start, uint64_t size)
{
    uint64_t from = (uint64_t)(start - arena) / PAGE * PAGE;
    uint64_t to = ((uint64_t)(start - arena) + size + PAGE - 1) / PAGE * PAGE;
    int ready = from / SLOT < PREPARED && from % SLOT == GAP - PAGE && to - from <= PAGE;
    if (!ready && to > from && mprotect(arena + from, to - from, PROT_READ | PROT_WRITE) != 0)
        __whet_trap(TRAP_TOO_MUCH);
#ifdef WITH_ADDRESS
    __asan_poison_memory_region(start - MARGIN / 2, size + MARGIN);
    __asan_unpoison_memory_region(start, size);
#endif
}
#endif

void *__whet_malloc(size_t size)
{
    if (size > MOST_BYTES || living + size > 2 * MOST_BYTES || block_count == MOST_BLOCKS)
        __whet_trap(TRAP_TOO_MUCH);
    living += size;
    uint64_t taken = (MARGIN + size + GAP + SLOT - 1) / SLOT;
    if ((next_slot + taken) * SLOT > ARENA)
        __whet_trap(TRAP_TOO_MUCH);
    next_slot += taken;
    uint8_t *start = arena + next_slot * SLOT - GAP - size;
    prepare(start, size);
#ifdef HUNTING
    memset(start, 0, size);
#endif
    blocks[block_count++] = (struct block){start, size};
    return start;
}

static struct block *find(struct block *list, uint64_t count, const void *pointer)
{
    for (uint64_t at = count; at-- > 0;)
        if (list[at].start == pointer)
            return &list[at];
    return NULL;
}

/* Nobody may touch what has ended, and nobody needs its pages. */
static void close_block(const struct block *block)
{
#ifdef HUNTING
    /* Whoever does reads what nobody has written. */
    memset(block->start, 0xdd, block->size);
#else
    uint64_t from = (uint64_t)(block->start - arena) / PAGE * PAGE;
    uint64_t to = ((uint64_t)(block->start - arena) + block->size + PAGE - 1) / PAGE * PAGE;
    if (to > from) {
        madvise(arena + from, to - from, MADV_DONTNEED);
        mprotect(arena + from, to - from, PROT_NONE);
    }
#endif
}

#ifdef WITH_SANITIZER
/* The sanitizer has a heap of its own, but what the caller gave is not there. To free anything else is its affair. */
void __whet_free(void *pointer)
{
    struct block *mine = pointer ? find(given, given_count, pointer) : NULL;
    if (!mine) {
        free(pointer);
        return;
    }
#ifdef WITH_ADDRESS
    __asan_poison_memory_region(mine->start, mine->size);
#else
    close_block(mine);
#endif
    mine->start = NULL;
}

void *__whet_realloc(void *old, size_t size)
{
    struct block *mine = old ? find(given, given_count, old) : NULL;
    if (!mine)
        return realloc(old, size);
    void *new = NULL;
    if (size > 0) {
        new = malloc(size);
        if (!new)
            __whet_trap(TRAP_TOO_MUCH);
        memcpy(new, old, mine->size < size ? mine->size : size);
    }
    __whet_free(old);
    return new;
}
#else
/* The block that starts there. To free anything else ends the run, as the C library would. */
static struct block *block_at(void *pointer)
{
    struct block *block = find(blocks, block_count, pointer);
    if (!block)
        block = find(given, given_count, pointer);
    if (!block)
        abort();
    return block;
}

void __whet_free(void *pointer)
{
    if (!pointer)
        return;
    struct block *block = block_at(pointer);
    close_block(block);
    if (block >= given && block < given + given_count) {
        block->start = NULL;
    } else {
        living -= block->size;
        *block = blocks[--block_count];
    }
}

/* With no bytes left to keep, the C library frees, and so do we. */
void *__whet_realloc(void *old, size_t size)
{
    if (!old)
        return __whet_malloc(size);
    uint64_t before = block_at(old)->size;
    void *new = NULL;
    if (size > 0) {
        new = __whet_malloc(size);
        memcpy(new, old, before < size ? before : size);
    }
    __whet_free(old);
    return new;
}
#endif

void *__whet_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        __whet_trap(TRAP_TOO_MUCH);
    /* No page is used twice, so all is zero. */
    return __whet_malloc(bytes);
}

void *__whet_reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        __whet_trap(TRAP_TOO_MUCH);
    return __whet_realloc(old, bytes);
}

void *__whet_aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    return __whet_malloc(size);
}

char *__whet_strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = __whet_malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *__whet_strdup(const char *text)
{
    return __whet_strndup(text, SIZE_MAX);
}

/* ---- calls of functions without a body ---- */

/* Variables that such a call may look at are known while their function runs. */
uint64_t __whet_enter(void)
{
    return local_count;
}

void __whet_leave(uint64_t before)
{
    local_count = before;
}

void __whet_local(void *start, uint64_t size)
{
    if (local_count == MOST_LOCALS)
        __whet_trap(TRAP_TOO_MUCH);
    locals[local_count++] = (struct block){start, size};
}

void __whet_call(uint64_t site)
{
    put_number(TAG_CALL);
    put_number(site);
    points_to_fresh = 0;
    points_to_given = 0;
}

void __whet_word(uint64_t low, uint64_t high)
{
#ifdef WITH_MEMORY
    __msan_check_mem_is_initialized(&low, sizeof low);
    __msan_check_mem_is_initialized(&high, sizeof high);
#endif
    put_number(TAG_WORD);
    put_number(low);
    put_number(high);
}

static int is_in(const struct block *list, uint64_t count, const void *pointer)
{
    uintptr_t address = (uintptr_t)pointer;
    for (uint64_t at = 0; at < count; at++) {
        uintptr_t start = (uintptr_t)list[at].start;
        /* One may point anywhere near, but only what is inside has contents to show. */
        if (address >= start && address <= start + list[at].size)
            return 1;
    }
    return 0;
}

void __whet_pointer(void *pointer)
{
    __whet_word((uint64_t)(uintptr_t)pointer, 0);
    if (is_in(blocks, block_count, pointer) || is_in(locals, local_count, pointer))
        points_to_fresh = 1;
    if (is_in(given, given_count, pointer))
        points_to_given = 1;
#ifndef WITH_SANITIZER
    for (uint64_t at = 0; at < counts[1]; at++) {
        struct block global = {globals[at], global_sizes[at]};
        if (global.size > 0 && is_in(&global, 1, pointer))
            put_global(at);
    }
#endif
}

void __whet_text(const char *text)
{
    uint64_t length = strlen(text);
#ifdef WITH_MEMORY
    __msan_check_mem_is_initialized(&text, sizeof text);
    __msan_check_mem_is_initialized(text, length + 1);
#endif
    put_number(TAG_TEXT);
    put_number(length);
    put(text, length);
}

/* The result that comes next for a function without a body; zero after the last. */
static const word no_result;

static const void *next_result(uint64_t external)
{
    const uint8_t *at = results;
    for (uint64_t list = 0; list < result_lists; list++) {
        uint64_t count = number_at(at + 8);
        if (number_at(at) == external && results_used[list] < count)
            return at + 16 + sizeof(word) * results_used[list]++;
        at += 16 + sizeof(word) * count;
    }
    return &no_result;
}

/* Ends the description of a call. What it points to is told along, since it may be gone later. */
const void *__whet_answer(uint64_t external)
{
    if (points_to_fresh) {
        for (uint64_t at = 0; at < block_count; at++)
            put_block(&blocks[at]);
        for (uint64_t at = 0; at < local_count; at++)
            put_block(&locals[at]);
    }
#ifndef WITH_SANITIZER
    if (points_to_given)
        for (uint64_t at = 0; at < given_count; at++)
            put_given(at, given[at].start, given[at].size);
#endif
    put_number(TAG_END);
    return next_result(external);
}
