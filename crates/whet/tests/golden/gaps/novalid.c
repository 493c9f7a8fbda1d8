/* A function that needs more than the inputs have within their limits: what is said of its mutants would mean nothing. */
//~ flags: --size 2
int third(const int *a)
{
    return a[2] + 1;  //~ 0 killed; open: 14 `2` -> `3` (no input within the limits is valid for the original: raise --size, --depth or --bound), 14 `2` -> `1` (no input within the limits is valid for the original: raise --size, --depth or --bound), 14 `2` -> `0` (no input within the limits is valid for the original: raise --size, --depth or --bound), 17 `+` -> `-` (no input within the limits is valid for the original: raise --size, --depth or --bound), 17 `+` -> `*` (no input within the limits is valid for the original: raise --size, --depth or --bound), 17 `+` -> `/` (no input within the limits is valid for the original: raise --size, --depth or --bound), 17 `+` -> `%` (no input within the limits is valid for the original: raise --size, --depth or --bound), 19 `1` -> `2` (no input within the limits is valid for the original: raise --size, --depth or --bound), 19 `1` -> `0` (no input within the limits is valid for the original: raise --size, --depth or --bound)
}
