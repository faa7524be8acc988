// Builds the bundle: a chunk for each noun and each part of the service, so that a command loads only what it needs.
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';

// npm scripts run on the Node version among the dependencies, unless its install script was disabled.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`The build needs Node 24 and runs on ${process.versions.node}. Run 'npm ci' without --ignore-scripts, or install Node 24.`);
  process.exit(1);
}

// Commander imports these two modules for subcommands that are separate executables; msgctl has none. As ES modules,
// they load sockets, workers and performance hooks, which takes a tenth of a command's time.
const leanCommander = {
  name: 'lean-commander',
  resolveId: (path, importer) =>
    /^node:(process|child_process)$/.test(path) && importer?.includes('/commander/') ? `\0lean:${path}` : undefined,
  load(id) {
    if (!id.startsWith('\0lean:')) return undefined;
    return id.endsWith('node:process') ? 'export default globalThis.process;' : 'export default {};';
  },
};

// The index of undici also has fetch, caches, proxies and mocks, which take a third of the time of a remote command to load.
const undici = (path) => JSON.stringify(createRequire(import.meta.url).resolve(`undici/lib/${path}`));
const leanUndici = {
  name: 'lean-undici',
  resolveId: (path) => (path === 'undici' ? '\0lean-undici' : undefined),
  load: (id) =>
    id === '\0lean-undici'
      ? `import Agent from ${undici('dispatcher/agent.js')};
         import Dispatcher from ${undici('dispatcher/dispatcher.js')};
         import api from ${undici('api/index.js')};
         import buildConnector from ${undici('core/connect.js')};
         Object.assign(Dispatcher.prototype, api);
         export { Agent, buildConnector };
         export const request = (url, { dispatcher, ...options }) => {
           const { origin, pathname, search } = new URL(url);
           return dispatcher.request({ ...options, origin, path: pathname + search });
         };`
      : undefined,
};

await rm('dist', { recursive: true, force: true });
const { rolldown } = await import('rolldown');
const bundle = await rolldown({
  // What reads documents runs in a process of its own.
  input: { start: 'src/cli/start.ts', 'document-reader': 'src/service/areas/kb/reading/child.ts' },
  platform: 'node',
  external: ['pg-native'],
  plugins: [leanCommander, leanUndici],
  // All warnings come from the code of libraries.
  logLevel: 'silent',
});
await bundle.write({
  dir: 'dist',
  format: 'esm',
  minify: true,
  comments: { legal: false },
  // With the ending .mjs, Node does not search for a package.json.
  entryFileNames: '[name].mjs',
  chunkFileNames: 'chunks/[name]-[hash].mjs',
  // The service needs the whole contract, and one chunk loads faster than many small ones.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      // What every command on a service loads: one chunk loads faster than many small ones.
      {
        name: 'cli',
        test: /src[\\/](client[\\/](client|errors|retry|transport)\.|cli[\\/](command-line[\\/](?!ask-missing|unknown)|command[\\/](?!watch|when|input|failures)|lookups[\\/]|profiles[\\/](profiles|lock)|target[\\/]|files[\\/](owner-only|read)\.|output[\\/](cell|columns|counted|fold|format-errors|layout|notes|paths|print|result|screen|spinner|states|table|times)\.))/,
      },
      // The help of the program.
      { name: 'help', test: /src[\\/]cli[\\/](help[\\/](root|topics|layout|option-row)|output[\\/]wrap)\./ },
      { name: 'zod', test: /node_modules[\\/]zod/ },
      // The signature needs crypto, and phone numbers need the numbering plans, which take longer to load than the rest of the
      // contract. The help needs only the limits.
      {
        name: 'contract',
        test: /src[\\/]contract[\\/](?!endpoints|openapi|limits|areas[\\/](webhooks[\\/]signature|contacts[\\/]phone-numbers))/,
      },
      { name: 'endpoints', test: /src[\\/]contract[\\/](endpoints|openapi)/ },
    ],
  },
});
