import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { temporaryFolder } from './test/support/temporary-folder.ts';

const isLong = process.env.MSGCTL_TEST_SWEEPS === 'long';
const hasServer = process.env.MSGCTL_TEST_DATABASE_URL !== undefined && process.env.MSGCTL_TEST_DATABASE_URL !== '';

// `npm test` runs the tests of the service on SQLite. `npm run test:all` runs them on PostgreSQL too: on the server in
// MSGCTL_TEST_DATABASE_URL, or on PGlite without one.
const everything = 'test/service/**/*.test.ts';
const otherEngine = hasServer ? 'postgres' : 'pglite';

// What fetches and reads knows no store, and who may call what is decided before it: one engine is enough.
const withoutStore = [
  'test/service/areas/kb/{any-page,attacks,hostile,crawling,discovery,sites,reading,pdf,robots-rules}.test.ts',
  'test/service/areas/answers/measured.test.ts',
  'test/service/http/{authorization,compression,server}.test.ts',
  'test/service/{flow,network}/**/*.test.ts',
];

// Only what writes can be refused. These tests read, or fail before anything is written.
const withoutWriting = [
  'test/service/areas/analytics/{agreement,analytics,certain-share,concurrent-reports,history}.test.ts',
  'test/service/areas/answers/{built-in,search}.test.ts',
  'test/service/areas/faqs/{duplicates,words}.test.ts',
  'test/service/areas/kb/busy-hosts.test.ts',
  'test/service/areas/largest-account.test.ts',
  'test/service/http/{fuzz,cursors,answer-budget,answer-queue,anonymous-limit}.test.ts',
];

// Only `npm run test:all` runs these: each process costs half a second, and `npm test` is to take less than five minutes.
const onlyInAll = [
  // Real processes, but for journeys. The tests in process prove the behaviour of the same commands.
  'test/process/!(journeys).test.ts',
  // A real browser.
  'test/pages/*.test.ts',
  // Documents of megabytes, websites and sitemaps of thousands of pages: kb/{reading,pdf,limits,imports}.
  'test/service/areas/kb/{hostile,attacks,discovery,sites}.test.ts',
  // Histories of thousands of messages, and an account as large as it may be.
  'test/service/areas/{analytics/demo,largest-account}.test.ts',
  // Everybody at every endpoint. `fuzz` and the tests of the areas ask some of them.
  'test/service/http/authorization.test.ts',
];

const excluded = ['**/node_modules/**', ...(isLong ? [] : onlyInAll)];

// A database may refuse a transaction, which then runs again. On SQLite each one is refused once, where it is possible.
const refused = { include: [everything], exclude: [...excluded, 'test/service/store/**', ...withoutStore, ...withoutWriting] };
const notRefused = { include: ['test/service/store/**/*.test.ts', ...withoutStore, ...withoutWriting], exclude: excluded };
const sqlite = { name: 'sqlite', env: { MSGCTL_TEST_ENGINE: 'sqlite' } };

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
          include: ['test/{contract,client,account-as-code,cli,drill}/**/*.test.ts', 'test/*.test.ts'],
          exclude: excluded,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/{process,pages}/**/*.test.ts'],
          exclude: excluded,
          // A process that has grown to a gigabyte takes 100 ms to start another one. These tests start many, and load little.
          isolate: true,
        },
      },
      { extends: true, test: { ...sqlite, ...(isLong ? notRefused : { include: [everything], exclude: excluded }) } },
      ...(isLong
        ? [
            {
              extends: true as const,
              test: { ...refused, name: 'refusing', env: { MSGCTL_TEST_ENGINE: 'sqlite', MSGCTL_TEST_REFUSING: '1' } },
            },
          ]
        : []),
      ...(isLong || hasServer
        ? [
            {
              extends: true as const,
              test: {
                name: otherEngine,
                include: [everything],
                exclude: [...excluded, ...withoutStore],
                env: { MSGCTL_TEST_ENGINE: otherEngine },
                globalSetup: hasServer ? ['test/support/postgres-template.ts'] : [],
              },
            },
          ]
        : []),
    ],
  },
});
