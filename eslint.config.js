import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

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

export default defineConfig([
  globalIgnores(['dist/', 'node_modules/']),
  {
    files: ['src/**/*.{ts,tsx}', 'scripts/**/*.ts', 'test/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: ['./tsconfig.json', './src/pages/browser/tsconfig.json'] } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // Handlers, stores and transports are asynchronous by their types, even when they await nothing.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allow: [{ from: 'lib', name: 'URLSearchParams' }] },
      ],
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-syntax': ['error', ...errorTexts],
      'no-restricted-properties': ['error', { object: 'RegExp', property: 'escape', message: 'Node 22 does not have it.' }],
    },
  },
  {
    // Time and environment are passed in, so that tests can control them.
    files: ['src/**'],
    ignores: ['src/cli/start.ts', 'src/pages/browser/**'],
    rules: {
      'no-restricted-syntax': ['error', ...restricted],
    },
  },
  {
    files: ['src/account-as-code/**', 'src/cli/account-as-code/**'],
    ignores: ['src/account-as-code/kinds/**'],
    rules: {
      'no-restricted-syntax': [
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
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
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
]);
