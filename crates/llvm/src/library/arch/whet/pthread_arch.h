/* One thread runs, and this is what the library knows of it. */
extern struct __pthread __only_thread;

#define __get_tp() (&__only_thread)
#define MC_PC gregs[REG_RIP]
