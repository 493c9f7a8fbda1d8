/* The gross salary of a person: the basic one, 10 percent for living and 12 percent for the rent.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 16. The planted error: a rounding error: the
 * rent is divided before it is multiplied. */

int gross_salary(int basic)
{
    int living = basic * 10 / 100;
    int rent = basic / 100 * 12;

    return basic + living + rent;
}
