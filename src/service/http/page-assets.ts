import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { Assets } from '../../pages/html/document.ts';
import { ApiError } from '../errors.ts';

/** The scripts and styles of the pages, by name, such as `chat.js`: the files that the build made of them. */
type Manifest = Readonly<Record<string, string>>;

let manifest: Manifest | undefined;

/** Where the build put them. */
export const assetFolder = () => join(dirname(findPackageJSON(import.meta.url) ?? '.'), 'dist', 'pages');

/** @throws ApiError 503 when the pages were not built */
function readManifest(): Manifest {
  try {
    return (manifest ??= JSON.parse(readFileSync(join(assetFolder(), 'manifest.json'), 'utf8')) as Manifest);
  } catch {
    throw new ApiError(503, 'The pages are not built: run `npm run build`, or reinstall msgctl');
  }
}

/** The path of a script or of styles, which changes with its content. */
function assetPath(name: string): string {
  return `/pages/${readManifest()[name]}`;
}

/** What a page needs. @throws ApiError 503 when the pages were not built */
export function pageAssets(styles: 'chat.css' | 'page.css', script?: 'chat.js' | 'booking.js'): Assets {
  const icon = assetPath('icon.svg');
  return { styles: [assetPath(styles)], icon, ...(script !== undefined && { script: assetPath(script) }) };
}

/** Whether a file is one of the pages'. */
export function isAsset(file: string): boolean {
  return Object.values(readManifest()).includes(file);
}

/** The text of a script that is sent with something before it. */
export function assetText(name: string): string {
  return readFileSync(join(assetFolder(), readManifest()[name] ?? ''), 'utf8');
}
