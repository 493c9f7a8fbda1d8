/* Bitwuzla behind signatures of our own.
 *
 * Bitwuzla's enums are numbered by its header and may be renumbered by the next
 * version. Here the compiler reads that header, so no number is copied into Rust.
 *
 * A call that Bitwuzla rejects (an ill-sorted term) is a bug of ours, and must not end the
 * run: Bitwuzla throws, we catch, and the other side hears of it by a null pointer. This is
 * why the shim is C++: through the interface for C, a rejected call ends the process. */

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <string>
#include <vector>

#include <bitwuzla/cpp/bitwuzla.h>

using bitwuzla::Kind;
using bitwuzla::RoundingMode;
using bitwuzla::Sort;
using bitwuzla::Term;

namespace {

/* Ends a check that has used up its fuel, or that nobody waits for any longer. */
struct Fuel : bitwuzla::Terminator {
  uint64_t left = 0;          /* polls that the running check may still make */
  uint64_t polls = 0;         /* polls that it has made */
  const bool *stop = nullptr; /* set by another thread */

  bool terminate() override
  {
    if (left == 0 || __atomic_load_n(stop, __ATOMIC_RELAXED)) return true;
    left--;
    polls++;
    return false;
  }
};

enum { WHET_UNKNOWN = 0, WHET_SAT = 1, WHET_UNSAT = 2, WHET_REJECTED = 3 }; /* as in engine.rs */

bitwuzla::Options options(bool normalise)
{
  bitwuzla::Options options;
  options.set(bitwuzla::Option::PRODUCE_MODELS, true);
  options.set(bitwuzla::Option::PP_NORMALIZE, normalise);
  return options;
}

const struct {
  const char *name;
  Kind kind;
} operators[] = {
    {"=", Kind::EQUAL},
    {"distinct", Kind::DISTINCT},
    {"not", Kind::NOT},
    {"and", Kind::AND},
    {"or", Kind::OR},
    {"xor", Kind::XOR},
    {"=>", Kind::IMPLIES},
    {"ite", Kind::ITE},
    {"bvadd", Kind::BV_ADD},
    {"bvsub", Kind::BV_SUB},
    {"bvmul", Kind::BV_MUL},
    {"bvudiv", Kind::BV_UDIV},
    {"bvsdiv", Kind::BV_SDIV},
    {"bvurem", Kind::BV_UREM},
    {"bvsrem", Kind::BV_SREM},
    {"bvand", Kind::BV_AND},
    {"bvor", Kind::BV_OR},
    {"bvxor", Kind::BV_XOR},
    {"bvshl", Kind::BV_SHL},
    {"bvlshr", Kind::BV_SHR},
    {"bvashr", Kind::BV_ASHR},
    {"bvult", Kind::BV_ULT},
    {"bvule", Kind::BV_ULE},
    {"bvugt", Kind::BV_UGT},
    {"bvuge", Kind::BV_UGE},
    {"bvslt", Kind::BV_SLT},
    {"bvsle", Kind::BV_SLE},
    {"bvsgt", Kind::BV_SGT},
    {"bvsge", Kind::BV_SGE},
    {"bvsaddo", Kind::BV_SADD_OVERFLOW},
    {"bvuaddo", Kind::BV_UADD_OVERFLOW},
    {"bvssubo", Kind::BV_SSUB_OVERFLOW},
    {"bvusubo", Kind::BV_USUB_OVERFLOW},
    {"bvsmulo", Kind::BV_SMUL_OVERFLOW},
    {"bvumulo", Kind::BV_UMUL_OVERFLOW},
    {"bvnot", Kind::BV_NOT},
    {"bvneg", Kind::BV_NEG},
    {"bvcomp", Kind::BV_COMP},
    {"zero_extend", Kind::BV_ZERO_EXTEND},
    {"sign_extend", Kind::BV_SIGN_EXTEND},
    {"extract", Kind::BV_EXTRACT},
    {"concat", Kind::BV_CONCAT},
    {"fp.add", Kind::FP_ADD},
    {"fp.sub", Kind::FP_SUB},
    {"fp.mul", Kind::FP_MUL},
    {"fp.div", Kind::FP_DIV},
    {"fp.sqrt", Kind::FP_SQRT},
    {"fp.roundToIntegral", Kind::FP_RTI},
    {"fp.neg", Kind::FP_NEG},
    {"fp.abs", Kind::FP_ABS},
    {"fp.isNaN", Kind::FP_IS_NAN},
    {"fp.eq", Kind::FP_EQUAL},
    {"fp.lt", Kind::FP_LT},
    {"fp.leq", Kind::FP_LEQ},
    {"fp.to_sbv", Kind::FP_TO_SBV},
    {"fp.to_ubv", Kind::FP_TO_UBV},
    {"to_fp_unsigned", Kind::FP_TO_FP_FROM_UBV},
    {"to_fp", Kind::FP_TO_FP_FROM_BV}, /* or another one, see kind_for */
};

const struct {
  const char *name;
  RoundingMode mode;
} modes[] = {
    {"RNE", RoundingMode::RNE}, {"RNA", RoundingMode::RNA}, {"RTN", RoundingMode::RTN},
    {"RTP", RoundingMode::RTP}, {"RTZ", RoundingMode::RTZ},
};

} // namespace

struct whet_engine {
  bitwuzla::TermManager manager;
  Fuel fuel;
  bitwuzla::Bitwuzla solver;
  std::deque<Term> terms; /* what was handed out; no term moves */
  std::string rejection;  /* why the last call was rejected */

  whet_engine(const bool *stop, bool normalise) : solver{manager, options(normalise)}
  {
    fuel.stop = stop;
    solver.configure_terminator(&fuel);
  }

  const Term *keep(Term term)
  {
    terms.push_back(std::move(term));
    return &terms.back();
  }
};

/* What a call gives, or this if it is rejected. */
template <typename Result, typename Call> static Result guarded(whet_engine *engine, Result rejected, Call call)
{
  try {
    return call();
  } catch (const std::exception &exception) {
    engine->rejection = exception.what();
    return rejected;
  }
}

template <typename Call> static const Term *term(whet_engine *engine, Call call)
{
  return guarded<const Term *>(engine, nullptr, [&] { return engine->keep(call()); });
}

/* SMT-LIB has one name for what Bitwuzla has three kinds for: bits alone are read as a
 * float; with a rounding mode before them they are a signed integer, or a float already. */
static Kind kind_for(Kind kind, const std::vector<Term> &arguments)
{
  if (kind != Kind::FP_TO_FP_FROM_BV || arguments.size() == 1) return kind;
  return arguments[1].sort().is_fp() ? Kind::FP_TO_FP_FROM_FP : Kind::FP_TO_FP_FROM_SBV;
}

static bool is_named(const char *row, const char *name, size_t length)
{
  return !strncmp(row, name, length) && !row[length];
}

extern "C" {

/* Checks end soon after `stop` becomes true. It must live longer than the engine. */
whet_engine *whet_new(const bool *stop, uint32_t normalise) { return new whet_engine(stop, normalise != 0); }

void whet_delete(whet_engine *engine) { delete engine; }

/* Lives until the next call. */
const char *whet_rejection(whet_engine *engine) { return engine->rejection.c_str(); }

const Term *whet_truth(whet_engine *engine, uint32_t value)
{
  return term(engine, [&] { return value ? engine->manager.mk_true() : engine->manager.mk_false(); });
}

const Term *whet_constant(whet_engine *engine, uint32_t width, uint64_t low, uint64_t high)
{
  return term(engine, [&] {
    Sort sort = engine->manager.mk_bv_sort(width);
    if (high == 0) return engine->manager.mk_bv_value_uint64(sort, low);
    char digits[33];
    snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
    return engine->manager.mk_bv_value(sort, digits, 16);
  });
}

/* Width 0 asks for a truth value. */
const Term *whet_variable(whet_engine *engine, const char *name, uint32_t width)
{
  return term(engine, [&] {
    Sort sort = width ? engine->manager.mk_bv_sort(width) : engine->manager.mk_bool_sort();
    return engine->manager.mk_const(sort, name);
  });
}

const Term *whet_rounding(whet_engine *engine, const char *name, size_t length)
{
  for (const auto &row : modes)
    if (is_named(row.name, name, length))
      return term(engine, [&] { return engine->manager.mk_rm_value(row.mode); });
  engine->rejection = "a rounding mode without a row in the table";
  return nullptr;
}

const Term *whet_apply(whet_engine *engine, const char *name, size_t length, size_t indices_count,
                       const uint32_t *indices, size_t count, const Term *const *arguments)
{
  for (const auto &row : operators) {
    if (!is_named(row.name, name, length)) continue;
    return term(engine, [&] {
      std::vector<Term> terms;
      for (size_t at = 0; at < count; at++) terms.push_back(*arguments[at]);
      std::vector<uint64_t> wide(indices, indices + indices_count);
      return engine->manager.mk_term(kind_for(row.kind, terms), terms, wide);
    });
  }
  engine->rejection = "an operator without a row in the table";
  return nullptr;
}

/* Whether it was accepted. */
int32_t whet_assert(whet_engine *engine, const Term *fact)
{
  return guarded<int32_t>(engine, 0, [&] {
    engine->solver.assert_formula(*fact);
    return 1;
  });
}

int32_t whet_check(whet_engine *engine, size_t count, const Term *const *assumptions, uint64_t fuel,
                   uint64_t *polls)
{
  engine->fuel.left = fuel;
  engine->fuel.polls = 0;
  int32_t result = guarded<int32_t>(engine, WHET_REJECTED, [&]() -> int32_t {
    std::vector<Term> terms;
    for (size_t at = 0; at < count; at++) terms.push_back(*assumptions[at]);
    switch (engine->solver.check_sat(terms)) {
    case bitwuzla::Result::SAT: return WHET_SAT;
    case bitwuzla::Result::UNSAT: return WHET_UNSAT;
    default: return WHET_UNKNOWN;
    }
  });
  *polls = engine->fuel.polls;
  return result;
}

/* After SAT only. The value's low and high half; a truth value is 0 or 1. Whether it was accepted. */
int32_t whet_value(whet_engine *engine, const Term *asked, uint64_t halves[2])
{
  return guarded<int32_t>(engine, 0, [&] {
    Term value = engine->solver.get_value(*asked);
    halves[0] = halves[1] = 0;
    if (value.sort().is_bool()) {
      halves[0] = value.value<bool>();
      return 1;
    }
    for (char bit : value.value<std::string>(2)) {
      halves[1] = halves[1] << 1 | halves[0] >> 63;
      halves[0] = halves[0] << 1 | (uint64_t)(bit == '1');
    }
    return 1;
  });
}
}
