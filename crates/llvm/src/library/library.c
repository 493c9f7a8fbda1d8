/* The C library as Whet reasons about it: the simplest code that does what the standard says.
 *
 * A string function reads the strings that it needs to the end that C says, so that an unterminated one is out of bounds
 * wherever the real library may read on. Tables and state are static, as they are in any C library. */

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>

/* Actions of the program itself. */
void *__whet_allocate(size_t size);
void __whet_free(void *object);
/* The size of a living object on the heap. */
size_t __whet_extent(const void *object);
/* What the address of an object is a multiple of. */
size_t __whet_alignment(const void *object);
/* Undefined for the caller if it does not hold, though a machine goes on. */
void __whet_require(_Bool holds);
/* If it does not hold, nobody knows what the library does. */
void __whet_settle(_Bool holds);

/* What C leaves to the library. With zero, it does what glibc does; with a positive number, something else that C
 * allows; with a negative number, it does what glibc does, and is strict: it finds out whether the program has a claim to
 * that. Nobody writes it: each run has a number of its own. */
static int __library_choice;

/* Whether to set `errno` where C leaves that open. In a file that does not look at it, the second stands in for the
 * first: no run should depend on a choice that nobody sees. */
_Bool __whet_open_error(void) { return __library_choice > 0; }
_Bool __whet_no_error(void) { return 0; }

/* A number that C leaves open. */
int __whet_open_int(void) { return __library_choice; }

/* What is chosen at this place of a function. Each place may choose otherwise. */
static unsigned choice_at(unsigned place)
{
    unsigned choice = __library_choice, by = place % 32;
    return choice & 2 ? choice << by | choice >> (-by & 31) : choice;
}

/* Even those who are to do nothing with an object must be given one. */
#define REQUIRE(object) __whet_require((object) != NULL)

#include "address.c"
#include "memory.c"
#include "string.c"
#include "search.c"
#include "character.c"
#include "number.c"
#include "sort.c"
#include "math.c"
#include "print.c"
#include "stream.c"
