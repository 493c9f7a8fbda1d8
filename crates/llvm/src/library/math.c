/* What the machine computes exactly. */

double fabs(double x) { return __builtin_fabs(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
double floor(double x) { return __builtin_floor(x); }
float floorf(float x) { return __builtin_floorf(x); }
double ceil(double x) { return __builtin_ceil(x); }
float ceilf(float x) { return __builtin_ceilf(x); }
double trunc(double x) { return __builtin_trunc(x); }
float truncf(float x) { return __builtin_truncf(x); }
double rint(double x) { return __builtin_rint(x); }
float rintf(float x) { return __builtin_rintf(x); }
double nearbyint(double x) { return __builtin_nearbyint(x); }
float nearbyintf(float x) { return __builtin_nearbyintf(x); }
double round(double x) { return __builtin_round(x); }
float roundf(float x) { return __builtin_roundf(x); }
long lround(double x) { return (long)__builtin_round(x); }
long lroundf(float x) { return (long)__builtin_roundf(x); }
long long llroundf(float x) { return (long long)__builtin_roundf(x); }
long long llrintf(float x) { return (long long)__builtin_rintf(x); }
long lrintf(float x) { return (long)__builtin_rintf(x); }
long long llround(double x) { return (long long)__builtin_round(x); }
long long llrint(double x) { return (long long)__builtin_rint(x); }
long lrint(double x) { return (long)__builtin_rint(x); }
double sqrt(double x) { return __builtin_sqrt(x); }
float sqrtf(float x) { return __builtin_sqrtf(x); }
double fdim(double x, double y) { return x <= y ? 0 : x - y; }
float fdimf(float x, float y) { return x <= y ? 0 : x - y; }

/* Of two zeros with different signs, either is the least and the greatest. Whether the second one is chosen here. */
static _Bool is_second(double x, double y, unsigned place)
{
    if (x != 0 || y != 0 || __builtin_signbit(x) == __builtin_signbit(y)) return 0;
    return choice_at(place) & 1;
}

double __whet_open_fmin_double(double x, double y, unsigned place)
{
    return is_second(x, y, place) ? y : __builtin_fmin(x, y);
}

float __whet_open_fmin_float(float x, float y, unsigned place)
{
    return is_second(x, y, place) ? y : __builtin_fminf(x, y);
}

double __whet_open_fmax_double(double x, double y, unsigned place)
{
    return is_second(x, y, place) ? y : __builtin_fmax(x, y);
}

float __whet_open_fmax_float(float x, float y, unsigned place)
{
    return is_second(x, y, place) ? y : __builtin_fmaxf(x, y);
}

double fmin(double x, double y) { return __whet_open_fmin_double(x, y, 0); }
float fminf(float x, float y) { return __whet_open_fmin_float(x, y, 0); }
double fmax(double x, double y) { return __whet_open_fmax_double(x, y, 0); }
float fmaxf(float x, float y) { return __whet_open_fmax_float(x, y, 0); }

/* What musl computes. */
double sin(double x);
double cos(double x);
float sinf(float x);
float cosf(float x);

void sincos(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}

void sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}

/* A float whose bits somebody may look at. The sign of a NaN is left open, and so is its fraction, as long as it is not zero:
 * the highest bit of it is set in what comes out of an operation, but not in all that is moved. */
double __whet_open_nan_double(double x, unsigned place)
{
    if (x == x) return x;
    unsigned choice = choice_at(place);
    unsigned long long sign = choice & 1, is_quiet = ~choice >> 1 & 1, rest = -(unsigned long long)(choice >> 2);
    unsigned long long fraction = is_quiet << 51 | (rest & 0x7ffffffffffff);
    union {
        unsigned long long bits;
        double number;
    } nan = {.bits = 0x7ff0000000000000 | sign << 63 | (fraction ? fraction : 1)};
    return nan.number;
}

float __whet_open_nan_float(float x, unsigned place)
{
    if (x == x) return x;
    unsigned choice = choice_at(place);
    unsigned sign = choice & 1, is_quiet = ~choice >> 1 & 1, rest = -(choice >> 2);
    unsigned fraction = is_quiet << 22 | (rest & 0x3fffff);
    union {
        unsigned bits;
        float number;
    } nan = {.bits = 0x7f800000 | sign << 31 | (fraction ? fraction : 1)};
    return nan.number;
}

double copysign(double x, double y) { return __builtin_copysign(x, __whet_open_nan_double(y, 0)); }
float copysignf(float x, float y) { return __builtin_copysignf(x, __whet_open_nan_float(y, 0)); }

int __isnan(double x) { return x != x; }
int __isnanf(float x) { return x != x; }
int __isinf(double x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }
int __isinff(float x) { return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0; }
int __finite(double x) { return x - x == 0; }
int __finitef(float x) { return x - x == 0; }
int __signbit(double x) { return __builtin_signbit(__whet_open_nan_double(x, 0)) != 0; }
int __signbitf(float x) { return __builtin_signbit(__whet_open_nan_float(x, 0)) != 0; }
