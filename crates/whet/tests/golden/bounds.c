/* Each array has bounds of its own, also in the middle of an object; and a sanitizer says so, or nobody. */
int grid[2][3];

int cell(int row, int column)
{
    return grid[row][column];  //~ 4 killed; limited: 17 `row` -> `0`, 22 `column` -> `0`
}

struct entry { char id[3]; int flags; };

int flags_unless_zero(const struct entry *entry)
{
    for (int i = 0; i < 3; i++)  //~ 13 killed; equivalent: 23 `<` -> `!=`
        if (entry->id[i] == 0) return 0;  //~ 12 killed
    return entry->flags;
}

/* Clang's sanitizer does not look at the operand of an increment closely enough. */
struct counts { int seen[2], other; };

void count(struct counts *counts, int bit)
{
    counts->seen[bit]++;  //~ 4 killed
}

/* What lies before a global may be another one. */
int list[3];

int through_a_pointer(int at)
{
    int *start = list;
    return start[at];  //~ 2 killed; limited: 18 `at` -> `0`
}

int third(int n)
{
    if (n < 0) __builtin_unreachable();  //~ 8 killed; equivalent: 9 `n` -> `0`, 13 `0` -> `-1`
    return n / 3;  //~ 9 killed
}

/* A last member of one element has as many as there is room for. */
struct text { int length; char bytes[1]; };

int last(const struct text *text)
{
    return text->length > 0 ? text->bytes[text->length - 1] : 0;  //~ 13 killed; limited: 25 `>` -> `>=`, 27 `0` -> `-1`
}
