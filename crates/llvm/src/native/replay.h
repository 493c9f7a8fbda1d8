/* What the parts of the replay server and of the hunt share: where objects lie, and how a run reports. */
#ifndef REPLAY_H
#define REPLAY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define WITH_ADDRESS
#elif __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WITH_MEMORY
#endif
#endif
#if defined(WITH_ADDRESS) || defined(WITH_MEMORY)
#include <sanitizer/allocator_interface.h>
#define WITH_SANITIZER
#endif

typedef unsigned __int128 word;

/* Objects lie in slots, and end where the gap of their last slot begins. A large one has several slots. Slots are so many
 * that no run uses them up before its fuel, and address space costs nothing. */
#define PAGE 4096UL
#define SLOT (1UL << 16)
#define GAP (SLOT / 2)
/* No object starts before this much of its first slot. */
#define MARGIN (SLOT / 4)
#define ARENA (SLOT << 16)
/* As far as an index of 32 bits and elements of eight bytes can lead. */
#define ARENA_MARGIN (1UL << 34)
/* So many slots have their page from the start. Most runs need no more. */
#define PREPARED 8UL
/* As much as the interpreter allows for all objects. */
#define MOST_BYTES (1UL << 24)
/* And for all blocks that a run takes from the heap of a sanitizer, freed or not: it keeps what was freed for a while. */
#define MOST_SANITISED (1UL << 28)
#define MOST_BLOCKS (1UL << 16)
#define MOST_LOCALS (1UL << 20)
#define REPORT_BYTES (1UL << 26)

/* Codes of traps; define.rs has the others. */
enum { TRAP_OUT_OF_FUEL = 1, TRAP_TOO_MUCH = 5 };

enum state { SILENT, RETURNED, TRAPPED, REPORTED, SIGNALLED, GUARD_FIRED, EXITED, OUT_OF_FUEL };

/* What a run tells on its way. */
enum tag { TAG_CALL = 1, TAG_WORD, TAG_TEXT, TAG_BLOCK, TAG_END, TAG_READ, TAG_GLOBAL, TAG_FREED, TAG_PRINTED };

/* Nothing here is for the subject, whatever it declares. */
#pragma GCC visibility push(hidden)

/* What a run leaves for us; shared between our process and its own. */
struct report {
    uint64_t state;
    uint64_t code;
    word result;
    uint64_t length;
    uint8_t bytes[];
};

extern struct report *report;

/* A part of memory that the run made. */
struct block {
    uint8_t *start;
    uint64_t size;
};

extern uint8_t *arena;
extern uint64_t next_slot;
extern struct block *blocks;
extern uint64_t block_count;
/* The variables of the functions that run. */
extern struct block *locals;
/* What the caller gave; the start of what is freed is null. */
extern struct block *given;
extern uint64_t given_count;

/* By number; and how many bytes each has, 0 for constants. */
extern void *const *globals;
extern const uint64_t *global_sizes;
/* How many functions and globals there are. */
extern const uint64_t *counts;

/* What functions without a body return: for each a number, a count, and so many words. */
extern const uint8_t *results;
extern uint64_t result_lists;
/* How many of each list were returned. */
extern uint64_t *results_used;

void put(const void *bytes, uint64_t length);
void put_number(uint64_t number);
void put_block(const struct block *block);
/* What an object of the caller's holds, if it still has it. */
void put_given(uint64_t at, const uint8_t *start, uint64_t size);
void put_global(uint64_t at);
uint64_t number_at(const uint8_t *at);

/* What the machine code has for us: which mutant runs, and how much fuel it has left. By number: wrappers of the
 * functions (null for what cannot be called), and the functions. */
typedef void call(const word *arguments, word *result);
extern uint32_t *mutant_number;
extern uint64_t *fuel_left;
extern call *const *calls;
extern void *const *functions;
/* What the globals hold before a run. */
extern uint8_t **pristine;

/* The number at a place, which then moves on. */
uint64_t number(uint8_t **at);
/* Whether this is a part of the arena, and not of a global. */
int is_object(const uint8_t *start);
/* Opens the machine code; null if it has not all that is needed. */
void *load(const char *path);
/* What a caller could look at after a run. */
void tell_memory(uint64_t reads, uint8_t *regions);
/* Takes what requests and answers come through. What the subject reads and prints must not mix with them. */
int take_streams(int *in, int *out);
void send_bytes(int out, const void *bytes, uint64_t length);
/* False at the end of the stream. */
int receive_bytes(int in, void *bytes, uint64_t length);
/* Says where all is that a request may want to name. */
void introduce(int out);

/* Makes the pages of an object ready. */
void prepare(uint8_t *start, uint64_t size);
#ifdef HUNTING
/* Forgets what the last run has made. */
void reset_heap(void);
/* Closes the streams of the last run. */
void reset_streams(void);
#endif

#pragma GCC visibility pop

_Noreturn void __whet_trap(uint32_t code);
void __whet_free(void *pointer);

#endif
