import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../errors.ts';
import type { ApiResponse } from './request.ts';
import { securityHeaders } from './answers.ts';
import type { PublicRoute } from './public-routes.ts';

/** The scripts and styles of the pages, by name, such as `chat.js`: the files that the build made of them. */
type Manifest = Readonly<Record<string, string>>;

let manifest: Manifest | undefined;

const folder = () => join(dirname(findPackageJSON(import.meta.url) ?? '.'), 'dist', 'pages');

/** @throws ApiError 503 when the pages were not built */
function readManifest(): Manifest {
  try {
    return (manifest ??= JSON.parse(readFileSync(join(folder(), 'manifest.json'), 'utf8')) as Manifest);
  } catch {
    throw new ApiError(503, 'The pages are not built: run `npm run build`, or reinstall msgctl');
  }
}

/** The path of a script or of styles, which changes with its content. */
export function assetPath(name: string): string {
  return `/pages/${readManifest()[name]}`;
}

/** The text of a script that is sent with something before it. */
export function assetText(name: string): string {
  return readFileSync(join(folder(), readManifest()[name] ?? ''), 'utf8');
}

/** How the build compressed the files, in the order of preference. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

const types: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

/** The scripts and styles of the pages. Their names change with their content, so that they never expire. */
export const assetRoute: PublicRoute = {
  method: 'GET',
  path: '/pages/:file',
  answer: async ({ request, params: { file = '' } }) => {
    if (!Object.values(readManifest()).includes(file)) throw new ApiError(404, 'There is no such file');
    return readAsset(file, request.header('accept-encoding') ?? '');
  },
};

function readAsset(file: string, accepted: string): ApiResponse {
  const [encoding, ending] = encodings.find(([name]) => new RegExp(`\\b${name}\\b(?!;q=0(?:\\.0*)?(?:,|$))`).test(accepted)) ?? [];
  const headers: Record<string, string> = {
    ...securityHeaders,
    'content-type': types[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  return { status: 200, headers, body: [readFileSync(join(folder(), file + (ending ?? '')))] };
}
