/* findmin5 with an array: the smallest of five elements.
 *
 * From Heinz Riener's thesis (2011, section 5.3), written anew from its description: this is the program that the
 * paper's tool could not take. */

int findmin5(const int a[5])
{
    int smallest = a[0];

    for (int i = 1; i < 5; i++)
        if (a[i] < smallest)
            smallest = a[i];
    return smallest;
}
