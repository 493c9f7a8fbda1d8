/* Characters, in the "C" locale.
 *
 * C gives these functions `EOF` and what fits an `unsigned char`, nothing else. The tables hold exactly that, so that a
 * negative `char` is out of bounds. */

enum { END_OF_FILE = -1, CHARACTERS = 257 };

/* The bits are those of glibc, whose macros look into the table themselves. */
enum {
    UPPER = 1 << 8,
    LOWER = 1 << 9,
    ALPHA = 1 << 10,
    DIGIT = 1 << 11,
    HEX = 1 << 12,
    SPACE = 1 << 13,
    PRINT = 1 << 14,
    GRAPH = 1 << 15,
    BLANK = 1 << 0,
    CONTROL = 1 << 1,
    PUNCTUATION = 1 << 2,
    ALPHANUMERIC = 1 << 3,
};

#define AT(c) [(c) - END_OF_FILE]
#define FROM_TO(first, last) [(first) - END_OF_FILE ... (last) - END_OF_FILE]

static const unsigned short classes[CHARACTERS] = {
    FROM_TO(0, 8) = CONTROL,
    AT('\t') = CONTROL | SPACE | BLANK,
    FROM_TO('\n', '\r') = CONTROL | SPACE,
    FROM_TO(14, 31) = CONTROL,
    AT(' ') = SPACE | BLANK | PRINT,
    FROM_TO('!', '/') = PRINT | GRAPH | PUNCTUATION,
    FROM_TO('0', '9') = PRINT | GRAPH | ALPHANUMERIC | DIGIT | HEX,
    FROM_TO(':', '@') = PRINT | GRAPH | PUNCTUATION,
    FROM_TO('A', 'F') = PRINT | GRAPH | ALPHANUMERIC | ALPHA | UPPER | HEX,
    FROM_TO('G', 'Z') = PRINT | GRAPH | ALPHANUMERIC | ALPHA | UPPER,
    FROM_TO('[', '`') = PRINT | GRAPH | PUNCTUATION,
    FROM_TO('a', 'f') = PRINT | GRAPH | ALPHANUMERIC | ALPHA | LOWER | HEX,
    FROM_TO('g', 'z') = PRINT | GRAPH | ALPHANUMERIC | ALPHA | LOWER,
    FROM_TO('{', '~') = PRINT | GRAPH | PUNCTUATION,
    AT(127) = CONTROL,
};

static const unsigned short *const classes_at = classes - END_OF_FILE;

const unsigned short *const *__ctype_b_loc(void) {
    return &classes_at;
}

/* What the macros and the functions say yes with. C says that it is not zero, and nothing else: it may have any sign, and may
 * not be the same for all characters. */
int __whet_open_class(int characteristics, int class) {
    int is = characteristics & class;
    if (is == 0 || __library_choice <= 0) return is;
    return __library_choice & 2 ? -characteristics - (__library_choice >> 2 & 0xffff) : __library_choice;
}

static int is(int c, int class) {
    return __whet_open_class(classes[c - END_OF_FILE], class);
}

int isalnum(int c) { return is(c, ALPHANUMERIC); }
int isalpha(int c) { return is(c, ALPHA); }
int isblank(int c) { return is(c, BLANK); }
int iscntrl(int c) { return is(c, CONTROL); }
int isdigit(int c) { return is(c, DIGIT); }
int isgraph(int c) { return is(c, GRAPH); }
int islower(int c) { return is(c, LOWER); }
int isprint(int c) { return is(c, PRINT); }
int ispunct(int c) { return is(c, PUNCTUATION); }
int isspace(int c) { return is(c, SPACE); }
int isupper(int c) { return is(c, UPPER); }
int isxdigit(int c) { return is(c, HEX); }

int toupper(int c) {
    return classes[c - END_OF_FILE] & LOWER ? c - ('a' - 'A') : c;
}

int tolower(int c) {
    return classes[c - END_OF_FILE] & UPPER ? c + ('a' - 'A') : c;
}

int isascii(int c) { return (c & ~127) == 0; }
int toascii(int c) { return c & 127; }

/* From -1 on, the character in the other case if it has one. */
static const int uppers[CHARACTERS] = {
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
    31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
    47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
    63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78,
    79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94,
    95, 96, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78,
    79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 123, 124, 125, 126,
    127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142,
    143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158,
    159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
    175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190,
    191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206,
    207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222,
    223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238,
    239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254,
    255,
};

static const int lowers[CHARACTERS] = {
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
    31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
    47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
    63, 64, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
    111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 91, 92, 93, 94,
    95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
    111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126,
    127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142,
    143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158,
    159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
    175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190,
    191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206,
    207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222,
    223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238,
    239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254,
    255,
};

static const int *const uppers_at = uppers - END_OF_FILE;
static const int *const lowers_at = lowers - END_OF_FILE;

const int *const *__ctype_toupper_loc(void) {
    return &uppers_at;
}

const int *const *__ctype_tolower_loc(void) {
    return &lowers_at;
}
