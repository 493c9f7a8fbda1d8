// C for Prism, the highlighter in mutation-testing-elements: what it shows as plain text is C here.
Prism.languages.plain = Prism.languages.extend("clike", {
  "class-name": [
    { pattern: /(\b(?:struct|union|enum)\s+)[A-Za-z_]\w*/, lookbehind: true },
    /\b[A-Za-z_]\w*_t\b/,
  ],
  keyword: new RegExp("\\b(?:" + [
    "auto break case char const continue default do double else enum extern float for goto if inline int long",
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while",
    "_Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local",
    "alignas alignof bool constexpr nullptr static_assert thread_local typeof typeof_unqual",
  ].join(" ").replaceAll(" ", "|") + ")\\b"),
  boolean: /\b(?:true|false|NULL)\b/,
  function: /\b[A-Za-z_]\w*(?=\s*\()/,
  number: /(?:\b0x[\da-f]+(?:\.[\da-f]*)?(?:p[+-]?\d+)?|\b0b[01]+|(?:\b\d+(?:\.\d*)?|\B\.\d+)(?:e[+-]?\d+)?)[uflz]*/i,
  operator: /->|>>=?|<<=?|\+\+|--|&&|\|\||[-+*\/%&|^!=<>]=?|[?:~]/,
});
// Before strings, because a directive may hold one. It ends with its line, unless a backslash continues it.
Prism.languages.insertBefore("plain", "string", {
  macro: {
    pattern: /(^[ \t]*)#[ \t]*[a-z]+(?:\\\r?\n|\/\*[\s\S]*?\*\/|[^\\\r\n\/]|\/(?![\/*])|\\(?!\r?\n))*/im,
    lookbehind: true,
    greedy: true,
    alias: "property",
  },
});
