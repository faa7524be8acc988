import { defineConfig } from 'vitest/config';

// The service's tests run on every engine at hand: always on SQLite and on PGlite, and on a PostgreSQL server where one is named.
const engines = ['sqlite', 'pglite', ...(process.env.MSGCTL_TEST_DATABASE_URL ? ['postgres'] : [])];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'program', include: ['test/{contract,client,cli,process}/**/*.test.ts', 'test/*.test.ts'] },
      },
      ...engines.map((engine) => ({
        extends: true as const,
        test: { name: engine, include: ['test/service/**/*.test.ts'], env: { MSGCTL_TEST_ENGINE: engine } },
      })),
    ],
  },
});
