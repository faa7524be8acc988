import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hasPostgres, PostgresServer } from './postgres-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

// Runs a command with MSGCTL_TEST_DATABASE_URL set to a temporary PostgreSQL server: `node test/support/with-postgres.ts npm
// run test:all`. If PostgreSQL is not installed, runs the command without it.

process.env.TMPDIR = temporaryFolder;
const [command = '', ...argv] = process.argv.slice(2);
const given = process.env.MSGCTL_TEST_DATABASE_URL;
const server = !given && hasPostgres ? await PostgresServer.start({ syncs: false }) : null;
if (!given && !server)
  process.stdout.write('******** SKIPPED: PostgreSQL is not installed; the tests run on SQLite and PGlite only ********\n');

try {
  const child = spawn(command, argv, { stdio: 'inherit', env: { ...process.env, MSGCTL_TEST_DATABASE_URL: given ?? server?.url } });
  // Waits for the command to end first. Ctrl-C reaches the command too, because it runs in the same terminal.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await server?.remove();
}
