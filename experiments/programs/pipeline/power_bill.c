/* What a customer pays for power, by the units that were used: each tariff begins behind a limit.
 *
 * From Generating Mutation Tests Using an Equivalence Prover, table 21. The planted error: one of the limits itself
 * is in no tariff, and costs 0. */

int amount(int units)
{
    int amount = 0;

    if (units >= 0 && units <= 200)
        amount = units * 50;
    if (units > 200 && units < 400)
        amount = 10000 + (units - 200) * 65;
    if (units > 400 && units <= 600)
        amount = 23000 + (units - 400) * 80;
    if (units > 600 && units <= 1000000)
        amount = 39000 + (units - 600) * 100;
    return amount;
}
