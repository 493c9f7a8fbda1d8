/* The simple interest of a sum over some years, at a rate in percent.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 26. The planted error: a rounding error: the
 * rate is divided before it is multiplied. */

int interest(int amount, int years, int rate)
{
    return amount * years * (rate / 100);
}
