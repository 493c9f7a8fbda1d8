//! Functions of the system: those that a header of the system declares, and
//! those that are known by their names.
//!
//! A test can replace a function that another file of the user defines. The stub only returns
//! something. A function of the system cannot be replaced, and it may write where its arguments point
//! to, or keep them. So if we have no body for it, nothing can be said about a run that calls it.
//!
//! Clang says which file has a declaration, but the module does not, so the functions
//! are marked in it. A user may also declare them by hand, hence the list of names.

use std::collections::BTreeSet;

use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use super::text;

/// The mark of a function that a header of the system declares.
const MARK: &str = "whet-system";

/// Functions of the C library and of POSIX that have no body of ours. Those that change nothing of the
/// caller's and return a plain number, such as `getpid`, are among them: a test cannot say what they return.
const NAMES: &str = "\
    a64l accept accept4 access acos acosf acosh acoshf acoshl acosl aligned_alloc asctime \
    asctime_r asin asinf asinh asinhf asinhl asinl asprintf at_quick_exit atan atan2 atan2f atan2l \
    atanf atanh atanhf atanhl atanl atexit atof basename bcopy brk bsearch_s btowc bzero c16rtomb \
    c32rtomb call_once cbrt cbrtf cbrtl chdir chmod chown clearenv clearerr clock clock_getres \
    clock_gettime clock_nanosleep clock_settime close closedir cnd_init cnd_signal cnd_wait confstr \
    connect cos cosf cosh coshf coshl cosl crypt crypt_r ctermid ctime ctime_r cuserid difftime \
    dirname dlclose dlerror dlopen dlsym dprintf drand48 drand48_r dup dup2 duplocale ecvt ecvt_r \
    epoll_wait erand48 erf erfc erfcf erfcl erff erfl execl execle execlp execv execve execvp exp exp2 \
    exp2f exp2l expf expl explicit_bzero expm1 expm1f expm1l fchdir fclose fcntl fcvt fcvt_r fdopen \
    feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feof feraiseexcept ferror fesetenv \
    fesetexceptflag fesetround fetestexcept feupdateenv fexecve ffs ffsl ffsll fgetc fgetln fgetpos \
    fgets __fgets_chk fgets_unlocked fgetwc fgetws fileno flock flockfile fma fmaf fmal fmemopen fmod \
    fmodf fmodl fnmatch fopen fopencookie fork fputc_unlocked fputs_unlocked fputwc fputws fread \
    __fread_chk fread_unlocked free_sized freeaddrinfo freelocale freopen frexp frexpf frexpl fscanf \
    fseek fsetpos fstat fstatat fstatvfs fsync ftell ftruncate ftrylockfile ftw funlockfile fwide \
    fwprintf fwrite fwrite_unlocked fwscanf gcvt get_current_dir_name getaddrinfo getc getc_unlocked \
    getchar getchar_unlocked getcwd __getcwd_chk getdelim getdents getdomainname getegid getentropy \
    getenv geteuid getgid getgrgid getgrgid_r getgrnam getgrnam_r getgroups gethostbyname gethostname \
    getitimer getline getlogin getlogin_r getnameinfo getopt getopt_long getopt_long_only getpeername \
    getpgrp getpid getppid getpwnam getpwnam_r getpwuid getpwuid_r getrandom getrlimit getrusage gets \
    getsockname getsockopt gettimeofday getuid getwc getwchar getwd globfree gmtime gmtime_r \
    hcreate hdestroy hsearch hypot hypotf hypotl iconv iconv_close iconv_open ilogb ilogbf ilogbl \
    inet_aton inet_ntoa inet_ntop inet_pton initstate initstate_r insque ioctl isatty __isoc23_fscanf \
    __isoc23_scanf __isoc23_sscanf __isoc99_fscanf __isoc99_scanf __isoc99_sscanf iswalnum iswalpha \
    iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper \
    iswxdigit jrand48 kill l64a lcong48 ldexp ldexpf ldexpl lfind lgamma lgamma_r lgammaf \
    lgammal localeconv localtime localtime_r log log10 log10f log10l log1p log1pf log1pl log2 \
    log2f log2l logb logbf logbl logf logl longjmp lrand48 lsearch lseek lstat madvise \
    malloc_usable_size mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs \
    mbtowc memalign memalignment memccpy __memcpy_chk memfrob memmem __memmove_chk __memset_chk \
    memset_explicit memset_s mkdir mkdtemp mkostemp mkstemp mkstemps mktemp mktime mlock mmap modf \
    modff modfl mprotect mrand48 msync mtx_init mtx_lock mtx_unlock munlock munmap nan nanf nanl \
    nanosleep newlocale nextafter nextafterf nextafterl nexttoward nexttowardf nexttowardl nftw \
    nl_langinfo nrand48 obstack_printf open open_memstream opendir pathconf pclose pipe pipe2 \
    poll popen posix_memalign posix_spawn pow powf powl ppoll pread pselect pthread_attr_destroy \
    pthread_attr_init pthread_cancel pthread_cond_broadcast pthread_cond_init pthread_cond_signal \
    pthread_cond_timedwait pthread_cond_wait pthread_create pthread_detach pthread_exit \
    pthread_getspecific pthread_join pthread_key_create pthread_mutex_destroy pthread_mutex_init \
    pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_once pthread_rwlock_init \
    pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_self pthread_setspecific \
    ptsname ptsname_r putc_unlocked putenv putwc putwchar pvalloc pwrite qsort_r quick_exit raise rand \
    rand_r random random_r read __read_chk readdir readdir_r readlink readlinkat readv realpath \
    __realpath_chk recv recvfrom recvmsg regcomp regerror regexec regfree remainder remainderf \
    remainderl remove remque remquo remquof remquol rename rewind rewinddir rmdir sbrk scalbln \
    scalblnf scalblnl scalbn scalbnf scalbnl scandir scanf secure_getenv seed48 select sem_destroy \
    sem_getvalue sem_init sem_post sem_wait send sendmsg sendto setbuf setbuffer setenv setgid \
    setitimer _setjmp setjmp setlinebuf setlocale setsid setsockopt setstate setstate_r settimeofday \
    setuid setvbuf shm_open shmat shmdt shmget sigaction sigaddset sigaltstack sigdelset sigemptyset \
    sigfillset sigismember siglongjmp signal sigpending sigprocmask __sigsetjmp sigsuspend \
    sigtimedwait sigwait sigwaitinfo sin sincos sincosf sinf sinh sinhf sinhl sinl sleep snprintf \
    __snprintf_chk socket socketpair sprintf __sprintf_chk srand srand48 srandom srandom_r sscanf stat \
    statvfs __stpcpy_chk __strcat_chk __strcpy_chk strerror strerror_r strfmon strfromd strfromf \
    strfroml strfry strftime __strncat_chk __strncpy_chk strptime strsignal strtod strtod_l strtof \
    strtok_l strtold strverscmp strxfrm swab swprintf swscanf symlink sysconf sysinfo system tan tanf \
    tanh tanhf tanhl tanl tcgetattr tcsetattr tdelete tempnam tfind tgamma tgammaf tgammal thrd_create \
    thrd_join thrd_sleep time timegm timelocal timespec_get timespec_getres tmpfile tmpnam \
    tmpnam_r towctrans towlower towupper truncate tsearch tss_create tss_get tss_set ttyname ttyname_r \
    twalk tzset umask uname ungetc ungetwc unlink unsetenv uselocale usleep valloc vasprintf vdprintf \
    vfork vfprintf vfscanf vfwprintf vfwscanf vprintf vscanf vsnprintf __vsnprintf_chk vsprintf \
    __vsprintf_chk vsscanf vswprintf vswscanf vwprintf vwscanf wait wait3 wait4 waitid waitpid wcpcpy \
    wcpncpy wcrtomb wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsdup wcsftime wcslen wcsncat wcsncmp \
    wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstok wcstol \
    wcstold wcstoll wcstombs wcstoul wcstoull wcsxfrm wctob wctomb wctrans wctype wmemchr wmemcmp \
    wmemcpy wmemmove wmemset wordexp wordfree wprintf write writev wscanf yn";

/// Functions of the system whose results are inputs, as those of functions without a body are: a test
/// replaces them by stubs, so it does not depend on the system's numbers. Each with the least number that it
/// returns, if it returns any.
const INPUTS: [(&str, Option<i64>); 7] = [
    ("clock", Some(-1)),
    ("getenv", None),
    ("rand", Some(0)),
    ("random", Some(0)),
    ("srand", None),
    ("srandom", None),
    (TIME, Some(-1)),
];

/// The function that also writes its result to where its argument leads to, unless that is null.
pub(super) const TIME: &str = "time";

/// Whether the results of a function are inputs. Only a header of the system says that it is the system's.
fn is_input(function: FunctionValue) -> bool {
    is_marked(function) && is_named_input(function)
}

/// Whether a function has the name of one whose results are inputs.
pub(super) fn is_named_input(function: FunctionValue) -> bool {
    INPUTS.iter().any(|(input, _)| *input == text(function.get_name()))
}

/// The least number that a function of the system returns.
pub(super) fn least_result(function: FunctionValue) -> Option<i64> {
    let name = text(function.get_name());
    let least = INPUTS.iter().find(|(input, _)| *input == name)?.1;
    least.filter(|_| is_marked(function))
}

fn is_marked(function: FunctionValue) -> bool {
    function.get_string_attribute(AttributeLoc::Function, MARK).is_some()
}

/// Marks the functions with these names that a module declares.
pub(crate) fn mark(module: &Module, names: &BTreeSet<String>) {
    let attribute = module.get_context().create_string_attribute(MARK, "");
    let is_declared = |function: &FunctionValue| {
        function.count_basic_blocks() == 0
            && function.get_intrinsic_id() == 0
            && names.contains(&text(function.get_name()))
    };
    for function in module.get_functions().filter(is_declared) {
        function.add_attribute(AttributeLoc::Function, attribute);
    }
}

/// Whether somebody else has this function who is no part of the user's program.
pub(super) fn is_of_system(function: FunctionValue) -> bool {
    let is_named = || NAMES.split(' ').any(|known| known == text(function.get_name()));
    !is_input(function) && (is_marked(function) || is_named())
}
