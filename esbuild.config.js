// Builds the bundle: a chunk for each noun and each part of the service, so that a command loads only what it needs.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

// npm scripts run on the Node that the package brings for itself, unless its install script was kept from running.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`This needs Node 24; this is ${process.versions.node}. Run 'npm ci' without --ignore-scripts, or install Node 24.`);
  process.exit(1);
}

// Commander imports these two at its start, for subcommands that are programs of their own, which there are none of.
// As ES modules they bring sockets, workers and performance hooks along, a tenth of a command's time.
const leanCommander = {
  name: 'lean-commander',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(process|child_process)$/ }, ({ path, importer }) =>
      importer.includes('/commander/') ? { path, namespace: 'lean' } : undefined,
    );
    onLoad({ filter: /process$/, namespace: 'lean' }, ({ path }) => ({
      contents: path === 'node:process' ? 'export default globalThis.process;' : 'export default {};',
    }));
  },
};

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/cli/start.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Node need not look for the package.json of a module whose name tells its kind.
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunks/[name]-[hash]',
  external: ['pg-native'],
  plugins: [leanCommander],
});
