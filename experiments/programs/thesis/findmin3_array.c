/* findmin3 with an array: the smallest of three elements.
 *
 * From Heinz Riener's thesis (2011, section 5.3), written anew from its description: this is the program that the
 * paper's tool could not take. */

int findmin3(const int a[3])
{
    int smallest = a[0];

    for (int i = 1; i < 3; i++)
        if (a[i] < smallest)
            smallest = a[i];
    return smallest;
}
