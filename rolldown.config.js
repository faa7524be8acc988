// Builds the bundle: a chunk for each noun and each part of the service, so that a command loads only what it needs.
import { rm } from 'node:fs/promises';

// npm scripts run on the Node that the package brings for itself, unless its install script was kept from running.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`This needs Node 24; this is ${process.versions.node}. Run 'npm ci' without --ignore-scripts, or install Node 24.`);
  process.exit(1);
}

// Commander imports these two at its start, for subcommands that are programs of their own, which there are none of.
// As ES modules they bring sockets, workers and performance hooks along, a tenth of a command's time.
const leanCommander = {
  name: 'lean-commander',
  resolveId: (path, importer) =>
    /^node:(process|child_process)$/.test(path) && importer?.includes('/commander/') ? `\0lean:${path}` : undefined,
  load(id) {
    if (!id.startsWith('\0lean:')) return undefined;
    return id.endsWith('node:process') ? 'export default globalThis.process;' : 'export default {};';
  },
};

await rm('dist', { recursive: true, force: true });
const { rolldown } = await import('rolldown');
const bundle = await rolldown({
  input: ['src/cli/start.ts'],
  platform: 'node',
  external: ['pg-native'],
  plugins: [leanCommander],
  // The warnings are those of libraries, which nobody here can mend.
  logLevel: 'silent',
});
await bundle.write({
  dir: 'dist',
  format: 'esm',
  minify: true,
  comments: { legal: false },
  // Node need not look for the package.json of a module whose name tells its kind.
  entryFileNames: '[name].mjs',
  chunkFileNames: 'chunks/[name]-[hash].mjs',
  // The service needs the contract as a whole: many small chunks would take it longer to load than one.
  codeSplitting: {
    groups: [
      { name: 'zod', test: /node_modules[\\/]zod/ },
      // The signature needs crypto, which takes longer to load than all the rest of it.
      { name: 'contract', test: /src[\\/]contract[\\/](?!endpoints|openapi|areas[\\/]webhooks[\\/]signature)/ },
      { name: 'endpoints', test: /src[\\/]contract[\\/](endpoints|openapi)/ },
    ],
  },
});
