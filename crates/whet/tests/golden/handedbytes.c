//~ flags: --operators default
/* A stub that is given a `void *` looks at bytes, but no address is the same on two machines. */
struct alloc { void (*release)(struct alloc *, void *); };
struct str { struct alloc *const allocator; unsigned long len; };
struct pair { const char *name; int value; };

void mem_release(struct alloc *a, void *p);
int keep(void *what, unsigned long size);

struct pair latest;
static struct pair hidden = {"b", 0};

void destroy(struct str *s)
{
    if (s && s->allocator)  //~ 8 killed
        mem_release(s->allocator, s);  //~ 5 killed
}

int note(int value)
{
    latest.name = "a";  //~ 2 killed
    latest.value = value;  //~ 2 killed
    int kept = keep(&latest, sizeof latest);
    latest.value = 0;  //~ 3 killed
    return kept;  //~ 4 killed
}

int note_hidden(int value)
{
    hidden.value = value;  //~ 2 killed
    return keep(&hidden, sizeof hidden);  //~ 3 killed
}
