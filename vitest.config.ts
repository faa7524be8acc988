import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { temporaryFolder } from './test/support/temporary-folder.ts';

const isLong = process.env.MSGCTL_TEST_SWEEPS === 'long';
const hasServer = process.env.MSGCTL_TEST_DATABASE_URL !== undefined && process.env.MSGCTL_TEST_DATABASE_URL !== '';

// `npm run test:all` runs the tests of the service on SQLite and on PostgreSQL: on the server in MSGCTL_TEST_DATABASE_URL, or
// on PGlite without one. `npm test` runs them on SQLite, and those of the store and the jobs, where the engines differ most, on
// PostgreSQL too, or on PGlite.
const everything = 'test/service/**/*.test.ts';
const ofStore = 'test/service/{store,jobs}/*.test.ts';
const engines = { sqlite: everything, [hasServer ? 'postgres' : 'pglite']: isLong ? everything : ofStore };

// What fetches and reads knows no store, and who may call what is decided before it: one engine is enough.
const withoutStore = [
  'test/service/areas/kb/{hostile,crawling,discovery,sites,reading,pdf,robots-rules}.test.ts',
  'test/service/http/{authorization,compression,server}.test.ts',
  'test/service/{flow,network}/**',
];

// Only what writes can be refused. These tests read, or fail before anything is written.
const withoutWriting = [
  'test/service/areas/analytics/{agreement,analytics,certain-share,concurrent-reports,history}.test.ts',
  'test/service/areas/answers/{built-in,measured,search}.test.ts',
  'test/service/areas/faqs/{duplicates,words}.test.ts',
  'test/service/areas/kb/busy-hosts.test.ts',
  'test/service/areas/largest-account.test.ts',
  'test/service/http/{fuzz,cursors,answer-budget,answer-queue,anonymous-limit}.test.ts',
];

// Only `npm run test:all` runs these. What they repeat with processes, kills and megabytes, the named tests of `npm test` prove.
const onlyInAll = [
  // Kills at many points: process/{crash,account-as-code,webhooks}, and in process jobs, analytics-export, imports and deliveries.
  'test/process/{answers,broadcasts,export,kb,maintenance,messaging,replay}.test.ts',
  // The tour and the packed package: the tests of its commands, and of the documents.
  'test/process/{demo,package}.test.ts',
  // Documents of megabytes and thousands of pages: kb/{reading,pdf,limits,imports}.
  'test/service/areas/kb/{hostile,attacks}.test.ts',
];

const excluded = ['**/node_modules/**', ...(isLong ? [] : onlyInAll)];

export default defineConfig({
  test: {
    // Tests wait for processes, timers and databases a quarter of the time: three at a time are faster, also on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // The long sweeps of `npm run test:all` are single tests.
    testTimeout: isLong ? 300_000 : 60_000,
    hookTimeout: 60_000,
    // Loading the modules for each file takes a third of the time. What they keep are caches, and the locks and runners that a
    // test has not released; each file closes its own.
    isolate: false,
    env: { TMPDIR: temporaryFolder },
    projects: [
      {
        extends: true,
        test: {
          name: 'program',
          include: ['test/{contract,client,account-as-code,cli,process,drill}/**/*.test.ts', 'test/*.test.ts'],
          exclude: excluded,
        },
      },
      // A database may refuse a transaction, which then runs again. Here each one is refused once.
      ...(isLong
        ? [
            {
              extends: true as const,
              test: {
                name: 'refusing',
                include: [everything],
                exclude: [...excluded, 'test/service/store/**', ...withoutStore, ...withoutWriting],
                env: { MSGCTL_TEST_ENGINE: 'sqlite', MSGCTL_TEST_REFUSING: '1' },
              },
            },
          ]
        : []),
      ...Object.entries(engines).map(([engine, include]) => ({
        extends: true as const,
        test: {
          name: engine,
          include: [include],
          exclude: [...excluded, ...(engine === 'sqlite' ? [] : withoutStore)],
          env: { MSGCTL_TEST_ENGINE: engine },
          globalSetup: engine === 'postgres' ? ['test/support/postgres-template.ts'] : [],
        },
      })),
    ],
  },
});
