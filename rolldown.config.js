// Builds the bundle: a chunk for each noun and each part of the service, so that a command loads only what it needs.
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

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
    if (!id.startsWith('\0lean:node:')) return undefined;
    return id.endsWith('node:process') ? 'export default globalThis.process;' : 'export default {};';
  },
};

// conf looks for folders in the user's home as soon as it is loaded, which fails for a user without one. It is always given a folder.
const leanConf = {
  name: 'lean-conf',
  resolveId: (path) => (path === 'env-paths' ? '\0lean:env-paths' : undefined),
  load: (id) => (id === '\0lean:env-paths' ? 'export default undefined;' : undefined),
};

// An `import` of one of Node's modules reads all its exports, and the getters among them load streams, readline, workers and
// Web Crypto. `process.getBuiltinModule` returns the module alone.
const builtins = {
  name: 'builtins',
  renderChunk: (code) =>
    code
      .replace(
        /^import (?:([\w$]+)(?:, )?)?(\{[^}]+\}|\* as [\w$]+)? ?from "(?:node:)?([\w/]+)";$/gm,
        (statement, whole, names, module) => {
          if (!isBuiltin(`node:${module}`)) return statement;
          const bound = [whole ?? [], names?.replace('* as ', '').replaceAll(' as ', ': ') ?? []].flat();
          // A module can name its import `process`.
          return bound.map((pattern) => `const ${pattern} = globalThis.process.getBuiltinModule("node:${module}");`).join('\n');
        },
      )
      .replace(/\b__require\("(?:node:)?([\w/]+)"\)/g, (call, module) =>
        isBuiltin(`node:${module}`) ? `globalThis.process.getBuiltinModule("node:${module}")` : call,
      ),
};

// Node keeps a source that is not ASCII at two bytes a character, and takes longer to decode it. Other chunks have names
// with characters that cannot be escaped so, and few commands load them.
const ascii = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (['command', 'service'].includes(chunk.name))
        chunk.code = chunk.code.replace(/\\[\0-\x7f]|\\?([^\0-\x7f])/g, (found, unit) =>
          unit === undefined ? found : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
  },
};

// The package depends on few of the libraries, because the bundle contains them all. It must not import anything else.
const wholeness = {
  name: 'wholeness',
  generateBundle(_options, bundle) {
    for (const { fileName, imports = [], dynamicImports = [] } of Object.values(bundle))
      for (const path of [...imports, ...dynamicImports])
        if (!bundle[path] && !isBuiltin(path)) throw new Error(`${fileName} imports ${path}, which is not in the bundle`);
  },
};

// What nearly every command loads, and what the help of the program does.
const command = [
  'src/cli/argv/run-command.ts',
  'src/cli/verb/call-verb.ts',
  'src/cli/verb/delete-verb.ts',
  'src/cli/verb/input.ts',
  'src/cli/verb/lookup.ts',
  'src/cli/output/pen.ts',
  'src/cli/output/table.ts',
  'src/cli/output/times.ts',
];
const help = ['src/cli/help/root.ts', 'src/cli/help/layout.ts', 'src/cli/help/topics.ts', 'src/version.ts'];

const closures = new Map();

/** A module and what it imports, except what is imported on request. */
function closure(entry, graph) {
  const known = closures.get(entry);
  if (known) return known;
  const found = new Set([fileURLToPath(new URL(entry, import.meta.url))]);
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  closures.set(entry, found);
  return found;
}

const [{ rolldown }, { thirdPartyNotices }] = await Promise.all([import('rolldown'), import('./scripts/third-party-notices.ts')]);
await rm('dist', { recursive: true, force: true });
const bundle = await rolldown({
  // What reads documents runs in a process of its own. What reads calendars and moves the log of the store
  // runs in threads.
  input: {
    start: 'src/cli/start.ts',
    testing: 'src/testing/start-service.ts',
    'document-reader': 'src/service/areas/kb/reading/child.ts',
    'icalendar-reader': 'src/service/areas/calendars/icalendar/thread.ts',
    'checkpoint-thread': 'src/service/store/checkpoint-thread.ts',
  },
  platform: 'node',
  external: ['pg-native'],
  // undici leaves out its second, experimental parser where its bundler defines this.
  transform: { define: { esbuildDetection: 'true' } },
  plugins: [leanCommander, leanConf, builtins, ascii, wholeness, thirdPartyNotices],
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
  // One chunk loads faster than many small ones.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        name: (id, graph) => {
          const isImportedBy = (entry) => closure(entry, graph).has(id);
          const [isOfCommand, isOfHelp] = [command, help].map((entries) => entries.some(isImportedBy));
          // What the start shares with commands must not make it load all of them.
          if (isOfCommand && (isOfHelp || isImportedBy('src/cli/start.ts'))) return 'common';
          return isOfCommand ? 'command' : isOfHelp ? 'help' : null;
        },
      },
      // The service needs the rest of the contract. Signatures of deliveries need crypto, phone numbers need the numbering plans,
      // arguments need a validator, and few commands read CSV.
      {
        name: 'contract',
        test: /src[\\/]contract[\\/](?!text[\\/]csv|endpoints|openapi|json-schema|deliveries|areas[\\/](contacts[\\/]phone-numbers|functions[\\/](arguments|request)))/,
      },
      { name: 'endpoints', test: /src[\\/]contract[\\/](endpoints|openapi|json-schema)/ },
    ],
  },
});

// Types for `msgctl/testing`: those of the service that a test starts, which import nothing.
await writeFile(
  'dist/testing.d.ts',
  `${await readFile('src/testing/types.ts', 'utf8')}
/** Starts the service in this process, in memory. */
export declare function startService(options?: ServiceOptions): Promise<Service>;
`,
);

// PDF documents refer to character maps and standard fonts that they do not contain.
const pdfData = new URL('.', import.meta.resolve('pdfjs-dist/package.json'));
for (const name of ['cmaps', 'standard_fonts'])
  await cp(new URL(name, pdfData), new URL(`dist/pdf/${name}`, import.meta.url), { recursive: true });

// The most common words of languages, by which FAQs are searched.
const { languageCodes, knownLanguage } = await import('./src/service/areas/faqs/language/languages.ts');
const { readList } = await import('./src/service/areas/faqs/language/word-lists.ts');
await mkdir('dist/words', { recursive: true });
for (const code of languageCodes) await writeFile(`dist/words/${knownLanguage(code).list}.txt`, readList(code).join('\n'));

// What runs in a browser: a script and styles for each page. Their names change with their content, so that they never expire.
const manifest = {};

/** Writes a file of the pages, also compressed as well as possible. */
async function writeAsset(name, content) {
  const bytes = Buffer.from(content);
  const [stem, ending] = name.split('.');
  const file = `${stem}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${ending}`;
  await writeFile(`dist/pages/${file}`, bytes);
  await writeFile(`dist/pages/${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  await writeFile(`dist/pages/${file}.gz`, gzipSync(bytes, { level: 9 }));
  manifest[name] = file;
}

await mkdir('dist/pages', { recursive: true });
for (const [name, entry] of [
  ['chat.js', 'chat/main.tsx'],
  ['booking.js', 'booking/main.tsx'],
  ['embed.js', 'embed/main.ts'],
]) {
  const page = await rolldown({
    input: `src/pages/browser/${entry}`,
    platform: 'browser',
  });
  const { output } = await page.generate({ format: 'iife', minify: true, comments: { legal: false } });
  await writeAsset(name, output[0].code);
}
const styles = async (name) => await readFile(`src/pages/styles/${name}`, 'utf8');
for (const name of ['page.css', 'chat.css']) await writeAsset(name, (await styles('base.css')) + (await styles(name)));
await writeAsset('icon.svg', await styles('icon.svg'));
await writeFile('dist/pages/manifest.json', JSON.stringify(manifest));
