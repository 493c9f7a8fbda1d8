/* Ä Letters of more than one byte before the code on the same line: größer → ∞ */
int größe(int a, int b)
{
    /* größer? */ if (a > b /* ≥ */ && b != 'x') /* ja → */ return a - b; // ∞
    const char *s = "äöü→"; /* ∑ */ a += s[1] & 7; /* ± */ b = a ? a : b;
    return /* ½ */ a < b ? /* ∀ */ a * 2 : b /* ∃ */ % 5 + /* ∅ */ 1;
}
