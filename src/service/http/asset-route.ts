import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../errors.ts';
import { preferredEncoding } from './accepted-encoding.ts';
import { securityHeaders } from './answers.ts';
import { assetFolder, isAsset } from './page-assets.ts';
import type { PublicRoute } from './public-routes.ts';
import type { ApiResponse } from './request.ts';

/** The endings of the files that the build compressed. */
const endings = { br: '.br', gzip: '.gz' } as const;

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The scripts and styles of the pages. Their names change with their content, so that they never expire. */
export const assetRoute: PublicRoute = {
  method: 'GET',
  path: '/pages/:file',
  answer: async ({ request, params: { file = '' } }) => {
    if (!isAsset(file)) throw new ApiError(404, 'There is no such file');
    return readAsset(file, request.header('accept-encoding') ?? '');
  },
};

function readAsset(file: string, accepted: string): ApiResponse {
  const encoding = preferredEncoding(accepted);
  const headers: Record<string, string> = {
    ...securityHeaders,
    'content-type': types[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  return { status: 200, headers, body: [readFileSync(join(assetFolder(), file + (encoding === undefined ? '' : endings[encoding])))] };
}
