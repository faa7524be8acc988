import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// The tests of the service run on SQLite and on PostgreSQL: on the server in MSGCTL_TEST_DATABASE_URL, or on PGlite
// without one. With a server, PGlite still runs the tests of the store and the jobs, so that it keeps working.
const everything = 'test/service/**/*.test.ts';
const engines = process.env.MSGCTL_TEST_DATABASE_URL
  ? { sqlite: everything, postgres: everything, pglite: 'test/service/{store,jobs}/*.test.ts' }
  : { sqlite: everything, pglite: everything };

// What fetches and reads knows no store: one engine is enough.
const withoutStore = 'test/service/areas/kb/{hostile,crawling,discovery}.test.ts';

export default defineConfig({
  test: {
    // Tests wait for processes, disks and databases: two at a time are faster, also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // The long sweeps of `npm run test:all` are single tests.
    testTimeout: process.env.MSGCTL_TEST_SWEEPS === 'long' ? 300_000 : 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'program', include: ['test/{contract,client,account-as-code,cli,process,drill}/**/*.test.ts', 'test/*.test.ts'] },
      },
      ...Object.entries(engines).map(([engine, include]) => ({
        extends: true as const,
        test: {
          name: engine,
          include: [include],
          exclude: ['**/node_modules/**', ...(engine === 'sqlite' ? [] : [withoutStore])],
          env: { MSGCTL_TEST_ENGINE: engine },
        },
      })),
    ],
  },
});
