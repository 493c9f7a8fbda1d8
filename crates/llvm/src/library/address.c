/* Addresses as numbers.
 *
 * A pointer is a number of an object and an offset. Here, and only here, casts between pointers and numbers show just
 * that. A program sees a number that looks like an address: the object lies somewhere, at a multiple of what C promises
 * of its type. Where, and which of two objects comes first, depends on what C leaves open. So no run that comes to
 * something else with other addresses counts.
 *
 * The number of an object goes to the upper half, so that objects stay apart. All offsets that a pointer can have fit
 * beside it. Null is zero, and so a number without an upper half is as far from null.
 */

/* The first object has this number. */
enum { FIRST = 1 };

/* Offsets are signed. This is in their middle. */
static const unsigned MIDDLE = 1u << 30;

/* Whether later objects have smaller addresses. */
static _Bool is_backwards(void) { return (__library_choice & 2) != 0; }

static unsigned turned(unsigned order) { return is_backwards() ? 0x7fff - order : order; }

/* Where in its part of memory an object starts. */
static unsigned start_of(unsigned order, size_t alignment)
{
    unsigned choice = __library_choice;
    unsigned steps = is_backwards() ? (choice >> 16) * (order + 1) : choice * (2 * order + 1);
    return MIDDLE + (unsigned)alignment * (steps & 0xfff);
}

/* The number that a program sees. `first` is the number of the first object. */
size_t __whet_address(const void *pointer, unsigned first)
{
    size_t word = (size_t)pointer;
    unsigned object = (unsigned)(word >> 32);
    if (object == 0) return word;
    unsigned order = object - first + FIRST;
    unsigned place = start_of(order, __whet_alignment(pointer)) + (unsigned)word;
    return (size_t)turned(order) << 32 | place;
}

/* What a program gets that makes a pointer of a number. */
void *__whet_pointer(size_t number, unsigned first)
{
    if (number >> 32 == 0) return (void *)number;
    unsigned order = turned((unsigned)(number >> 32));
    size_t object = (size_t)(order - FIRST + first) << 32;
    unsigned offset = (unsigned)number - start_of(order, __whet_alignment((void *)object));
    return (void *)(object | offset);
}
