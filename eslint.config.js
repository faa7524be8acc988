import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What the source must not do, because it is passed in. */
const restricted = [
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: 'Use the time of the context.' },
  { selector: "MemberExpression[object.name='process'][property.name='env']", message: 'Use the environment of the world.' },
  { selector: "MemberExpression[object.name='process'][property.name='exit']", message: 'Return an exit code.' },
];

export default defineConfig([
  globalIgnores(['dist/', 'node_modules/']),
  {
    files: ['src/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
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
    // Time and environment are passed in, so that tests can control them.
    files: ['src/**'],
    ignores: ['src/cli/start.ts'],
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
