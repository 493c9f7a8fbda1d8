/* An index that strays stops a mutant under a sanitizer; where it does not stray, a test sees another value, and that is preferred. */
static const int limits[4] = {400, 500, 640, 740};

int above(int layer, int height)
{
    return height > limits[layer];  //~ 11 killed
}
