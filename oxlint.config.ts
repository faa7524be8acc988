import { defineConfig } from 'oxlint';

// The texts of errors can change, so errors are told apart by their reason, field, code or status (rule conventions.91).
const reading = '[callee.property.name=/^(includes|startsWith|endsWith|match|matchAll|search|indexOf|replace|replaceAll)$/]';
const testing = '[callee.property.name=/^(test|exec)$/]';
const text = ':matches(Identifier[name=/^(message|problem)$/], MemberExpression > Identifier.property[name="error"])';
const errorTexts = [
  // `error.message.startsWith(…)`, `${message}`.toLowerCase().includes(…)
  `CallExpression${reading} > MemberExpression.callee ${text}`,
  // `/…/.exec(error.message)`
  `CallExpression${testing} > .arguments${text}`,
  `CallExpression${testing} > .arguments ${text}`,
  // `message === '…'`
  `BinaryExpression[operator=/^[!=]==$/]:has(> Literal[raw=/^['"]/]) > ${text}`,
  `BinaryExpression[operator=/^[!=]==$/]:has(> Literal[raw=/^['"]/]) > MemberExpression ${text}`,
  `SwitchStatement > .discriminant${text}`,
  `SwitchStatement > .discriminant ${text}`,
].map((selector) => ({ selector, message: 'Tell errors apart by their reason, field, code or status: their texts can change.' }));

/** What the source must not do, because it is passed in. */
const restricted = [
  ...errorTexts,
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: 'Use the time of the context.' },
  { selector: "MemberExpression[object.name='process'][property.name='env']", message: 'Use the environment of the world.' },
  { selector: "MemberExpression[object.name='process'][property.name='exit']", message: 'Return an exit code.' },
];

export default defineConfig({
  ignorePatterns: ['dist/', '*.js'],
  plugins: ['typescript'],
  jsPlugins: ['./scripts/restricted-syntax.js'],
  options: { typeAware: true, typeCheck: true, denyWarnings: true },
  categories: { correctness: 'error' },
  rules: {
    // Control characters, accents and variation selectors are what the expressions look for.
    'no-control-regex': 'off',
    'no-misleading-character-class': 'off',
    // Fixtures of vitest name what they use.
    'no-empty-pattern': 'off',
    // What is not supported throws.
    'require-yield': 'off',
    // Texts are sorted by their code units, and split into characters, on purpose.
    'typescript/require-array-sort-compare': 'off',
    'typescript/no-misused-spread': 'off',
    // The types do not say what Windows lacks.
    'typescript/no-useless-default-assignment': 'off',
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    eqeqeq: 'error',
    'no-console': 'error',
    'no-array-constructor': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    ...Object.fromEntries(
      [
        'ban-ts-comment',
        'no-empty-object-type',
        'no-explicit-any',
        'no-misused-promises',
        'no-namespace',
        'no-require-imports',
        'no-unnecessary-type-assertion',
        'no-unnecessary-type-constraint',
        'no-unsafe-argument',
        'no-unsafe-assignment',
        'no-unsafe-call',
        'no-unsafe-enum-comparison',
        'no-unsafe-function-type',
        'no-unsafe-member-access',
        'no-unsafe-return',
        'only-throw-error',
        'prefer-promise-reject-errors',
        'restrict-plus-operands',
        'adjacent-overload-signatures',
        'array-type',
        'ban-tslint-comment',
        'class-literal-property-style',
        'consistent-generic-constructors',
        'consistent-type-assertions',
        'consistent-type-definitions',
        'dot-notation',
        'no-confusing-non-null-assertion',
        'no-inferrable-types',
        'prefer-find',
        'prefer-for-of',
        'prefer-function-type',
        'prefer-includes',
        'prefer-optional-chain',
        'prefer-regexp-exec',
        'prefer-string-starts-ends-with',
      ].map((name) => [`typescript/${name}`, 'error']),
    ),
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
    'typescript/restrict-template-expressions': ['error', { allowNumber: true, allow: [{ from: 'lib', name: 'URLSearchParams' }] }],
  },
  overrides: [
    {
      files: ['src/**'],
      rules: {
        'project/restricted-syntax': ['error', ...errorTexts],
        'no-restricted-properties': ['error', { object: 'RegExp', property: 'escape', message: 'Node 22 does not have it.' }],
      },
    },
    {
      // Time and environment are passed in, so that tests can control them.
      files: ['src/**'],
      excludeFiles: ['src/cli/start.ts', 'src/pages/browser/**'],
      rules: { 'project/restricted-syntax': ['error', ...restricted] },
    },
    {
      files: ['src/account-as-code/**', 'src/cli/account-as-code/**'],
      excludeFiles: ['src/account-as-code/kinds/**'],
      rules: {
        'project/restricted-syntax': [
          'error',
          ...restricted,
          {
            // `tags` is missing because a field has that name.
            selector:
              'BinaryExpression > Literal[value=/^(lists|events|sources|agents|campaigns|faqs|templates|webhooks|short-links|defaults|rules|keys)$/]',
            message: 'What one kind does differently is a policy of the kind.',
          },
        ],
      },
    },
    {
      files: ['test/**'],
      rules: {
        // Answers are untyped in tests: the assertions check their fields.
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-return': 'off',
        'no-unsafe-optional-chaining': 'off',
        // They have limits of their own, which a busy machine exceeds, and move fake timers without saying so.
        'no-restricted-properties': [
          'error',
          ...[
            ['vi', 'waitFor'],
            ['vi', 'waitUntil'],
            ['expect', 'poll'],
          ].map(([object, property]) => ({ object, property, message: 'Use `until` of test/support.' })),
        ],
      },
    },
  ],
});
