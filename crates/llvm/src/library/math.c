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
double fmin(double x, double y) { return __builtin_fmin(x, y); }
float fminf(float x, float y) { return __builtin_fminf(x, y); }
double fmax(double x, double y) { return __builtin_fmax(x, y); }
float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
double fdim(double x, double y) { return x <= y ? 0 : x - y; }
float fdimf(float x, float y) { return x <= y ? 0 : x - y; }

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

/* A float whose bits somebody is about to look at. Of a NaN, the sign and all but the highest bit of the fraction are left
 * open. */
double __whet_open_nan_double(double x)
{
    union {
        unsigned long long bits;
        double number;
    } nan = {.bits = 0x7ff8000000000000 | (-(unsigned long long)__library_choice & 0x8007ffffffffffff)};
    return x == x ? x : nan.number;
}

float __whet_open_nan_float(float x)
{
    union {
        unsigned bits;
        float number;
    } nan = {.bits = 0x7fc00000 | (-(unsigned)__library_choice & 0x803fffff)};
    return x == x ? x : nan.number;
}

double copysign(double x, double y) { return __builtin_copysign(x, __whet_open_nan_double(y)); }
float copysignf(float x, float y) { return __builtin_copysignf(x, __whet_open_nan_float(y)); }

int __isnan(double x) { return x != x; }
int __isnanf(float x) { return x != x; }
int __isinf(double x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }
int __isinff(float x) { return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0; }
int __finite(double x) { return x - x == 0; }
int __finitef(float x) { return x - x == 0; }
int __signbit(double x) { return __builtin_signbit(__whet_open_nan_double(x)) != 0; }
int __signbitf(float x) { return __builtin_signbit(__whet_open_nan_float(x)) != 0; }
