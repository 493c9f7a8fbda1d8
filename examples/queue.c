/* A queue of a few numbers in a ring. */
enum { ROOM = 4 };

struct queue {
    int items[ROOM];
    unsigned first;
    unsigned count;
};

/* Adds a number at the end; 0 if the queue is full. */
int queue_put(struct queue *queue, int item)
{
    if (queue->count == ROOM)  //~ 8 killed
        return 0;  //~ 2 killed
    queue->items[(queue->first + queue->count) % ROOM] = item;  //~ 13 killed
    queue->count++;  //~ 1 killed
    return 1;  //~ 2 killed
}

/* Takes the number at the front; 0 if there is none. */
int queue_get(struct queue *queue, int *item)
{
    if (queue->count == 0)  //~ 6 killed; equivalent: 22 `==` -> `<=`
        return 0;  //~ 2 killed
    *item = queue->items[queue->first];
    queue->first = (queue->first + 1) % ROOM;  //~ 12 killed
    queue->count--;  //~ 1 killed
    return 1;  //~ 2 killed
}
