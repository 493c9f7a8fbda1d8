/* Functions that free or move what their caller gave. */
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
};

int list_free(struct node *head)
{
    int freed = 0;  //~ 2 killed
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
        freed++;  //~ 1 killed
    }
    return freed;  //~ 3 killed
}

struct node *list_push(struct node *head, int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value + 1;  //~ 9 killed
    node->next = head;
    return node;
}

int list_pop(struct node **head)
{
    struct node *first = *head;
    if (!first)
        return -1;  //~ 2 killed
    int value = first->value;
    *head = first->next;
    free(first);
    return value;  //~ 3 killed
}

char *append(char *s, char c)
{
    size_t n = strlen(s);
    s = realloc(s, n + 2);  //~ 8 killed; limited: 20 `n` -> `(n + 1)`, 24 `2` -> `3`
    s[n] = c;  //~ 6 killed
    s[n + 1] = '\0';  //~ 11 killed
    return s;
}

struct vec {
    int *data;
    unsigned len, cap;
};

void vec_push(struct vec *v, int x)
{
    if (v->len == v->cap) {  //~ 5 killed
        v->cap = v->cap + 2;  //~ 7 killed
        v->data = realloc(v->data, v->cap * sizeof *v->data);  //~ 4 killed
    }
    v->data[v->len] = x;  //~ 3 killed
    v->len = v->len + 1;  //~ 6 killed
}

void vec_destroy(struct vec *v)
{
    free(v->data);
    v->data = NULL;
    v->len = 0;  //~ 2 killed
    v->cap = 0;  //~ 2 killed
}

void drop(int **p, int really)
{
    if (really > 0) {  //~ 10 killed
        free(*p);
        *p = NULL;
    }
}

char *room(int n)
{
    if (n < 1 || n > 9)  //~ 19 killed; open: 9 `n` -> `(n + 1)` (not confirmed: the mutant comes to a result that depends on what C leaves open), 13 `1` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open)
        return NULL;
    return malloc(n);  //~ 1 killed; equivalent: 19 `n` -> `(n + 1)`; open: 19 `n` -> `0` (not confirmed: the mutant comes to a result that depends on what C leaves open)
}
