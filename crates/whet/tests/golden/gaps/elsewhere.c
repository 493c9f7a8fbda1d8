/* What is defined elsewhere is out of reach in part, but the tests of the rest have to link. */
extern int limit;
extern const char *names[4];
extern int table[];
struct size { int width, height; };
extern struct size screen;
struct size largest(struct size a, struct size b);
int trace(const char *format, ...);
int sensor(int channel);
void idle();

int over(int x)
{
    return x > limit;  //~ 0 killed; open: 12 `x` -> `(x + 1)` (the global variable `limit`, which is defined elsewhere (line 14)), 12 `x` -> `(x - 1)` (the global variable `limit`, which is defined elsewhere (line 14)), 12 `x` -> `0` (the global variable `limit`, which is defined elsewhere (line 14)), 14 `>` -> `<` (the global variable `limit`, which is defined elsewhere (line 14)), 14 `>` -> `<=` (the global variable `limit`, which is defined elsewhere (line 14)), 14 `>` -> `>=` (the global variable `limit`, which is defined elsewhere (line 14)), 14 `>` -> `==` (the global variable `limit`, which is defined elsewhere (line 14)), 14 `>` -> `!=` (the global variable `limit`, which is defined elsewhere (line 14)), 16 `limit` -> `(limit + 1)` (the global variable `limit`, which is defined elsewhere (line 14)), 16 `limit` -> `(limit - 1)` (the global variable `limit`, which is defined elsewhere (line 14)), 16 `limit` -> `0` (the global variable `limit`, which is defined elsewhere (line 14))
}

int fits(struct size s)
{
    trace("%d", table[0]);  //~ 0 killed; open: 23 `0` -> `1` (the global variable `table`, which is defined elsewhere (line 19)), 23 `0` -> `-1` (the global variable `table`, which is defined elsewhere (line 19))
    return largest(s, screen).width > names[0][0];  //~ 0 killed; open: 37 `>` -> `<` (the global variable `table`, which is defined elsewhere (line 19)), 37 `>` -> `<=` (the global variable `table`, which is defined elsewhere (line 19)), 37 `>` -> `>=` (the global variable `table`, which is defined elsewhere (line 19)), 37 `>` -> `==` (the global variable `table`, which is defined elsewhere (line 19)), 37 `>` -> `!=` (the global variable `table`, which is defined elsewhere (line 19)), 45 `0` -> `1` (the global variable `table`, which is defined elsewhere (line 19)), 45 `0` -> `-1` (the global variable `table`, which is defined elsewhere (line 19)), 48 `0` -> `1` (the global variable `table`, which is defined elsewhere (line 19)), 48 `0` -> `-1` (the global variable `table`, which is defined elsewhere (line 19))
}

int sensed(int x)
{
    idle();
    return x > 3 ? sensor(x) : 0;  //~ 16 killed
}
