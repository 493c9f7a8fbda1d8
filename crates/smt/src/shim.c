/* Bitwuzla behind signatures of our own.
 *
 * Bitwuzla's enums are numbered by its header and may be renumbered by the next
 * version. Here the C compiler reads that header, so no number is copied into Rust.
 *
 * A call that Bitwuzla rejects (an ill-sorted term, a null pointer) is a bug of ours.
 * Its default is to print and exit(1), which looks like an answer to a caller of the
 * command line; returning from its callback would carry on with a null term. So we abort. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bitwuzla/c/bitwuzla.h>

struct whet_engine {
  BitwuzlaTermManager *manager;
  Bitwuzla *solver;
  uint64_t fuel; /* polls that the running check may still make */
  uint64_t polls; /* polls that it has made */
};

enum { WHET_UNKNOWN = 0, WHET_SAT = 1, WHET_UNSAT = 2 }; /* as in engine.rs */

static const struct {
  const char *name;
  BitwuzlaKind kind;
} operators[] = {
    {"=", BITWUZLA_KIND_EQUAL},
    {"distinct", BITWUZLA_KIND_DISTINCT},
    {"not", BITWUZLA_KIND_NOT},
    {"and", BITWUZLA_KIND_AND},
    {"or", BITWUZLA_KIND_OR},
    {"xor", BITWUZLA_KIND_XOR},
    {"=>", BITWUZLA_KIND_IMPLIES},
    {"ite", BITWUZLA_KIND_ITE},
    {"bvadd", BITWUZLA_KIND_BV_ADD},
    {"bvsub", BITWUZLA_KIND_BV_SUB},
    {"bvmul", BITWUZLA_KIND_BV_MUL},
    {"bvudiv", BITWUZLA_KIND_BV_UDIV},
    {"bvsdiv", BITWUZLA_KIND_BV_SDIV},
    {"bvurem", BITWUZLA_KIND_BV_UREM},
    {"bvsrem", BITWUZLA_KIND_BV_SREM},
    {"bvand", BITWUZLA_KIND_BV_AND},
    {"bvor", BITWUZLA_KIND_BV_OR},
    {"bvxor", BITWUZLA_KIND_BV_XOR},
    {"bvshl", BITWUZLA_KIND_BV_SHL},
    {"bvlshr", BITWUZLA_KIND_BV_SHR},
    {"bvashr", BITWUZLA_KIND_BV_ASHR},
    {"bvult", BITWUZLA_KIND_BV_ULT},
    {"bvule", BITWUZLA_KIND_BV_ULE},
    {"bvugt", BITWUZLA_KIND_BV_UGT},
    {"bvuge", BITWUZLA_KIND_BV_UGE},
    {"bvslt", BITWUZLA_KIND_BV_SLT},
    {"bvsle", BITWUZLA_KIND_BV_SLE},
    {"bvsgt", BITWUZLA_KIND_BV_SGT},
    {"bvsge", BITWUZLA_KIND_BV_SGE},
    {"bvsaddo", BITWUZLA_KIND_BV_SADD_OVERFLOW},
    {"bvuaddo", BITWUZLA_KIND_BV_UADD_OVERFLOW},
    {"bvssubo", BITWUZLA_KIND_BV_SSUB_OVERFLOW},
    {"bvusubo", BITWUZLA_KIND_BV_USUB_OVERFLOW},
    {"bvsmulo", BITWUZLA_KIND_BV_SMUL_OVERFLOW},
    {"bvumulo", BITWUZLA_KIND_BV_UMUL_OVERFLOW},
    {"bvnot", BITWUZLA_KIND_BV_NOT},
    {"bvneg", BITWUZLA_KIND_BV_NEG},
    {"bvcomp", BITWUZLA_KIND_BV_COMP},
    {"zero_extend", BITWUZLA_KIND_BV_ZERO_EXTEND},
    {"sign_extend", BITWUZLA_KIND_BV_SIGN_EXTEND},
    {"extract", BITWUZLA_KIND_BV_EXTRACT},
    {"concat", BITWUZLA_KIND_BV_CONCAT},
    {"fp.add", BITWUZLA_KIND_FP_ADD},
    {"fp.sub", BITWUZLA_KIND_FP_SUB},
    {"fp.mul", BITWUZLA_KIND_FP_MUL},
    {"fp.div", BITWUZLA_KIND_FP_DIV},
    {"fp.sqrt", BITWUZLA_KIND_FP_SQRT},
    {"fp.roundToIntegral", BITWUZLA_KIND_FP_RTI},
    {"fp.neg", BITWUZLA_KIND_FP_NEG},
    {"fp.abs", BITWUZLA_KIND_FP_ABS},
    {"fp.isNaN", BITWUZLA_KIND_FP_IS_NAN},
    {"fp.eq", BITWUZLA_KIND_FP_EQUAL},
    {"fp.lt", BITWUZLA_KIND_FP_LT},
    {"fp.leq", BITWUZLA_KIND_FP_LEQ},
    {"fp.to_sbv", BITWUZLA_KIND_FP_TO_SBV},
    {"fp.to_ubv", BITWUZLA_KIND_FP_TO_UBV},
    {"to_fp_unsigned", BITWUZLA_KIND_FP_TO_FP_FROM_UBV},
    {"to_fp", BITWUZLA_KIND_FP_TO_FP_FROM_BV}, /* or another one, see kind_for */
};

static const struct {
  const char *name;
  BitwuzlaRoundingMode mode;
} modes[] = {
    {"RNE", BITWUZLA_RM_RNE}, {"RNA", BITWUZLA_RM_RNA}, {"RTN", BITWUZLA_RM_RTN},
    {"RTP", BITWUZLA_RM_RTP}, {"RTZ", BITWUZLA_RM_RTZ},
};

static void rejected(const char *message) {
  fprintf(stderr, "whet: this is a bug: Bitwuzla rejects a call: %s\n", message);
  abort();
}

static int32_t poll_fuel(void *state) {
  struct whet_engine *engine = state;
  if (engine->fuel == 0) return 1;
  engine->fuel--;
  engine->polls++;
  return 0;
}

struct whet_engine *whet_new(void) {
  struct whet_engine *engine = calloc(1, sizeof *engine);
  if (!engine) abort();
  bitwuzla_set_abort_callback(rejected);
  BitwuzlaOptions *options = bitwuzla_options_new();
  bitwuzla_set_option(options, BITWUZLA_OPT_PRODUCE_MODELS, 1);
  engine->manager = bitwuzla_term_manager_new();
  engine->solver = bitwuzla_new(engine->manager, options);
  bitwuzla_options_delete(options);
  bitwuzla_set_termination_callback(engine->solver, poll_fuel, engine);
  return engine;
}

void whet_delete(struct whet_engine *engine) {
  bitwuzla_delete(engine->solver);
  bitwuzla_term_manager_delete(engine->manager);
  free(engine);
}

/* Bitwuzla keeps its abort callback per thread, and an engine may move to another
 * one between calls. Whoever is about to call the functions below says this first. */
void whet_enter(void) { bitwuzla_set_abort_callback(rejected); }

BitwuzlaTerm whet_truth(struct whet_engine *engine, uint32_t value) {
  return value ? bitwuzla_mk_true(engine->manager) : bitwuzla_mk_false(engine->manager);
}

BitwuzlaTerm whet_constant(struct whet_engine *engine, uint32_t width, uint64_t low, uint64_t high) {
  BitwuzlaSort sort = bitwuzla_mk_bv_sort(engine->manager, width);
  BitwuzlaTerm term;
  if (high == 0) {
    term = bitwuzla_mk_bv_value_uint64(engine->manager, sort, low);
  } else {
    char digits[33];
    snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
    term = bitwuzla_mk_bv_value(engine->manager, sort, digits, 16);
  }
  bitwuzla_sort_release(sort);
  return term;
}

/* Width 0 asks for a truth value. */
BitwuzlaTerm whet_variable(struct whet_engine *engine, const char *name, uint32_t width) {
  BitwuzlaSort sort = width ? bitwuzla_mk_bv_sort(engine->manager, width) : bitwuzla_mk_bool_sort(engine->manager);
  BitwuzlaTerm term = bitwuzla_mk_const(engine->manager, sort, name);
  bitwuzla_sort_release(sort);
  return term;
}

BitwuzlaTerm whet_rounding(struct whet_engine *engine, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strncmp(modes[i].name, name, length) || modes[i].name[length]) continue;
    return bitwuzla_mk_rm_value(engine->manager, modes[i].mode);
  }
  rejected("a rounding mode without a row in the table");
  return NULL;
}

/* SMT-LIB has one name for what Bitwuzla has three kinds for: bits alone are read as a
 * float; with a rounding mode before them they are a signed integer, or a float already. */
static BitwuzlaKind kind_for(BitwuzlaKind kind, size_t count, BitwuzlaTerm *arguments) {
  if (kind != BITWUZLA_KIND_FP_TO_FP_FROM_BV || count == 1) return kind;
  return bitwuzla_term_is_fp(arguments[1]) ? BITWUZLA_KIND_FP_TO_FP_FROM_FP : BITWUZLA_KIND_FP_TO_FP_FROM_SBV;
}

BitwuzlaTerm whet_apply(struct whet_engine *engine, const char *name, size_t length, size_t indices_count,
                        const uint32_t *indices, size_t count, BitwuzlaTerm *arguments) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    if (strncmp(operators[i].name, name, length) || operators[i].name[length]) continue;
    BitwuzlaKind kind = kind_for(operators[i].kind, count, arguments);
    if (indices_count == 0) return bitwuzla_mk_term(engine->manager, kind, (uint32_t)count, arguments);
    uint64_t wide[2] = {indices[0], indices_count > 1 ? indices[1] : 0};
    return bitwuzla_mk_term_indexed(engine->manager, kind, (uint32_t)count, arguments,
                                    (uint32_t)indices_count, wide);
  }
  rejected("an operator without a row in the table");
  return NULL;
}

void whet_assert(struct whet_engine *engine, BitwuzlaTerm term) { bitwuzla_assert(engine->solver, term); }

int32_t whet_check(struct whet_engine *engine, size_t count, BitwuzlaTerm *assumptions, uint64_t fuel,
                   uint64_t *polls) {
  engine->fuel = fuel;
  engine->polls = 0;
  BitwuzlaResult result = bitwuzla_check_sat_assuming(engine->solver, (uint32_t)count, assumptions);
  *polls = engine->polls;
  if (result == BITWUZLA_SAT) return WHET_SAT;
  if (result == BITWUZLA_UNSAT) return WHET_UNSAT;
  return WHET_UNKNOWN;
}

/* After SAT only. The value's low and high half; a truth value is 0 or 1. */
void whet_value(struct whet_engine *engine, BitwuzlaTerm term, uint64_t halves[2]) {
  BitwuzlaTerm value = bitwuzla_get_value(engine->solver, term);
  halves[0] = halves[1] = 0;
  if (bitwuzla_term_is_bool(value)) {
    halves[0] = bitwuzla_term_value_get_bool(value);
  } else {
    for (const char *bit = bitwuzla_term_value_get_str_fmt(value, 2); *bit; bit++) {
      halves[1] = halves[1] << 1 | halves[0] >> 63;
      halves[0] = halves[0] << 1 | (uint64_t)(*bit == '1');
    }
  }
  bitwuzla_term_release(value);
}
